export type Transfer = ArrayBuffer[]

/** With fewer, on a busy machine, the thread waits for the event loop more often than it reads. */
const mostUnconfirmed = 4

/** A task that a thread works on. It is the cancellation that the work asks. */
export class Running {
  isCancelled = false
  #taken: (() => void) | undefined
  #unconfirmed = 0

  readonly #post: (part: unknown, transfer: Transfer) => void

  constructor(post: (part: unknown, transfer: Transfer) => void) {
    this.#post = post
  }

  throwIfAborted(): void {
    if (this.isCancelled) throw new DOMException('The client left', 'AbortError')
  }

  /** A few parts may be on their way; the next one waits, so that the event loop is not flooded. */
  async send(part: unknown, transfer: Transfer = []): Promise<void> {
    this.#post(part, transfer)
    this.#unconfirmed += 1
    if (this.#unconfirmed >= mostUnconfirmed)
      await new Promise<void>((resolve) => {
        this.#taken = resolve
      })
    this.throwIfAborted()
  }

  /** For news of which the next ones replace the last: while some are on their way they are left out. */
  readonly told = (part: unknown): void => {
    if (this.#unconfirmed >= mostUnconfirmed - 1) return
    this.#post(part, [])
    this.#unconfirmed += 1
  }

  cancel(): void {
    this.isCancelled = true
    this.#taken?.()
  }

  taken(): void {
    this.#unconfirmed -= 1
    this.#taken?.()
  }
}
