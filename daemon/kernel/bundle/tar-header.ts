const blockBytes = 512
/** From 8 GiB on a size is binary, as GNU tar and star write it. */
const octalLimit = 8 ** 11

/** The header of a plain file in a tar archive. The same arguments always give the same bytes. */
export function headerOf(name: string, size: number, mtime: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1')
  block.write(name, 0, 100, 'latin1')
  octal(0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  if (size < octalLimit) octal(size, 124, 11)
  else {
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(size), 128)
  }
  octal(mtime, 136, 11)
  block.write('        0', 148, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  const sum = block.reduce((all, byte) => all + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

/** Name, size and time in a header that `headerOf` made; null for any other block. */
export function readHeader(block: Buffer): { name: string; size: number; mtime: number } | null {
  const name = block.toString('latin1', 0, block.indexOf(0))
  const octal = (at: number) => Number.parseInt(block.toString('latin1', at, at + 11), 8)
  const size = block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : octal(124)
  const mtime = octal(136)
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(mtime) || size < 0) return null
  return headerOf(name, size, mtime).equals(block) ? { name, size, mtime } : null
}

/** Zeros that fill the last block of a file. */
export const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

export const endBytes = 2 * blockBytes
