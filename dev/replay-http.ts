/** One caller of a running service. Rejects when an answer has another status than the step expects. */
export class HttpCaller {
  readonly #url: string
  readonly #headers: Record<string, string>
  /** How many requests it has sent. */
  requests = 0

  constructor (url: string, token?: string) {
    this.#url = url.replace(/\/+$/, '')
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  async get<T> (path: string): Promise<T> {
    return await this.#send<T>('GET', path, 200, {})
  }

  async post<T> (path: string, body: object, status: number): Promise<T> {
    return await this.#send<T>('POST', path, status, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  }

  async #send<T> (method: string, path: string, status: number, { headers, ...rest }: { body?: string, headers?: Record<string, string> }): Promise<T> {
    this.requests++
    const response = await fetch(`${this.#url}${path}`, { method, headers: { ...this.#headers, ...headers }, ...rest })
    const text = await response.text()
    if (response.status !== status) throw new Error(`${method} ${path} answered ${response.status} instead of ${status}: ${text.slice(0, 300)}`)
    return JSON.parse(text) as T
  }
}
