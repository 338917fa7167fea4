import { truncated } from './refusal.ts'

/** Takes exact numbers of bytes from a stream, and holds no more of it than it was asked for and one chunk. */
export class ByteReader {
  private readonly chunks: AsyncIterator<Uint8Array>
  private parts: Buffer[] = []
  private held = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.chunks = source[Symbol.asyncIterator]()
  }

  /** The next bytes; a stream that ends before is refused. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.takeOrEnd(count)
    if (!bytes) throw truncated()
    return bytes
  }

  /** The same, but null where the stream has ended before the first of them. */
  async takeOrEnd(count: number): Promise<Buffer | null> {
    while (this.held < count) {
      const { done, value } = await this.chunks.next()
      if (done) {
        if (this.held) throw truncated()
        return null
      }
      if (!value.length) continue
      this.parts.push(Buffer.from(value.buffer, value.byteOffset, value.length))
      this.held += value.length
    }
    const all = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts)
    this.parts = all.length > count ? [all.subarray(count)] : []
    this.held = all.length - count
    return all.subarray(0, count)
  }
}
