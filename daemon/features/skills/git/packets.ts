/** A line of git's protocol. */
export const packet = (line: string): string =>
  `${(Buffer.byteLength(line) + 5).toString(16).padStart(4, '0')}${line}\n`

export const flush = '0000'
export const delimiter = '0001'

/** What a repository sent cannot be used. The message holds nothing of it. */
export class BadRepository extends Error {}

/** The lines of an answer, with `flush` and `delimiter` where they stand between parts. */
export function* packetsOf(bytes: Buffer): Generator<Buffer | typeof flush | typeof delimiter> {
  let at = 0
  while (at < bytes.length) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 4), 16)
    if (!(length >= 0) || at + Math.max(length, 4) > bytes.length)
      throw new BadRepository('It does not answer as git does')
    if (length === 0) yield flush
    else if (length === 1) yield delimiter
    else if (length >= 4) yield bytes.subarray(at + 4, at + length)
    at += Math.max(length, 4)
  }
}

/** A line as text, without its end. */
export const lineOf = (packet: Buffer): string => packet.toString('utf8').replace(/\n$/, '')
