/** The last bytes of a stream, by their place in it. */
export class OutputBuffer {
  readonly #most: number
  #chunks: Buffer[] = []
  #kept = 0
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  add(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk))
    this.#kept += chunk.length
    this.#total += chunk.length
    while (this.#chunks.length > 1 && this.#kept - this.#chunks[0]!.length >= this.#most)
      this.#kept -= this.#chunks.shift()!.length
  }

  /** What is kept as text, from the first whole line on: half a line could be half a secret. */
  lastLines(): string {
    const { content, from } = this.since(0)
    const text = content.toString('utf8')
    return from > 0 ? text.slice(text.indexOf('\n') + 1 || text.length) : text
  }

  /** What came since, as far as it is kept; `from` is the place of its first byte. */
  since(offset: number): { content: Buffer; from: number } {
    const from = Math.min(this.#total, Math.max(offset, this.#total - Math.min(this.#kept, this.#most)))
    const all = Buffer.concat(this.#chunks)
    return { content: all.subarray(all.length - (this.#total - from)), from }
  }
}
