/** Why a request is refused; the error handler turns each into its status. */
export type RefusalKind = 'invalid' | 'unauthorized' | 'forbidden' | 'not-found' | 'conflict'

/**
 * A request that the rules of the domain refuse. Thrown by repositories and transactions, which know nothing of
 * HTTP; throwing inside a transaction rolls it back. `details` joins the error body, after its three fields.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor (
    readonly kind: RefusalKind,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {}
  ) {
    super(message)
  }
}
