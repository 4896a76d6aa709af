import { v7 } from 'uuid'

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A fresh UUIDv7 in lower case; ids made by one process sort in the order they were made. */
export function newId (): string {
  return v7()
}

/**
 * Whether a text can be an id of this service. One that cannot is an unknown id, never a bad request
 * (contract: Everywhere, Ids).
 */
export function isId (text: string): boolean {
  return pattern.test(text)
}
