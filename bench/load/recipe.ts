/** Signs the tokens of a recipe: a shared secret (HS256) or a private key in PEM form (RS256). */
export type Signer =
  | { readonly alg: 'HS256', readonly secret: string }
  | { readonly alg: 'RS256', readonly privateKey: string }

/** The callers of a recipe: `count` users named `<prefix><number>`, numbered from `first` in steps of `step`. */
export interface Callers {
  readonly signer: Signer
  readonly prefix: string
  readonly count: number
  readonly first?: number
  readonly step?: number
  /** Digits that a number is padded to. */
  readonly digits?: number
  /** Claims besides sub, email and exp. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Claims that end in the caller's number, by what comes before it. */
  readonly numberedClaims?: Readonly<Record<string, string>>
}

/**
 * What is sent: request i has path i and caller i, each list taken round and round. The bytes of every request are
 * made before the clock starts.
 */
export interface Recipe {
  readonly method?: 'GET' | 'POST'
  readonly paths: readonly string[]
  readonly body?: string
  readonly callers?: Callers
  readonly headers?: Readonly<Record<string, string>>
}

interface Sending {
  readonly port: number
  readonly recipe: Recipe
}

/** Closed loop: each connection sends its next request when its last is answered. */
export interface Flood extends Sending {
  readonly kind: 'flood'
  readonly connections: number
  readonly seconds: number
  /** Each request is sent once at most; the run ends early when none is left. */
  readonly once?: boolean
}

/** Open loop: requests fall due at a fixed rate, whatever becomes of those before. */
export interface Pace extends Sending {
  readonly kind: 'pace'
  readonly connections: number
  readonly seconds: number
  readonly rate: number
}

/** One request after the other on one connection, so many of them. */
export interface Sequence extends Sending {
  readonly kind: 'sequence'
  readonly requests: number
}

export type Order = Flood | Pace | Sequence

/** Times in milliseconds. */
export interface Latency {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Report {
  readonly seconds: number
  /** Answers by status code. */
  readonly statuses: Readonly<Record<number, Latency>>
  /** Requests that got no answer, because a connection failed or the run was over. */
  readonly unanswered: number
  /** Share of one core that the generator itself used: near 1 means that it was the bottleneck. */
  readonly generatorLoad: number
}
