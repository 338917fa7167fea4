/** Values of several sources as one, in the order in which they come. */
export class Channel<T> {
  private readonly values: T[] = []
  private readonly sources = new Set<Promise<void>>()
  private over = false
  private failure: { error: unknown } | null = null
  private wake: () => void = () => undefined

  push(value: T): void {
    this.values.push(value)
    this.wake()
  }

  fail(error: unknown): void {
    this.failure ??= { error }
    this.wake()
  }

  /** A source that has to be done before the end. */
  wait(source: Promise<void>): Promise<void> {
    const told = source.catch((error: unknown) => this.fail(error)).finally(() => this.sources.delete(told))
    this.sources.add(told)
    return told
  }

  /** Nothing comes any more, but from the sources that are waited for. */
  end(): void {
    void Promise.all(this.sources).then(() => {
      this.over = true
      this.wake()
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.values.length) yield this.values.shift()!
      if (this.failure) throw this.failure.error
      if (this.over) return
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }
}
