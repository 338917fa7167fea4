import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

export interface Member {
  name: string
  content: string
  /** When it was written. */
  at: string
}

const deflated = promisify(deflateRaw)

/** Date and time as archives have them: two seconds each, from 1980 on. */
function stampOf(at: string): number {
  const when = new Date(at)
  const day = ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate()
  const time = (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1)
  return day * 65_536 + time
}

/** Names are UTF-8, contents deflated. */
const flags = 0x0800
const method = 8

function headerOf(signature: number, more: number, name: Buffer): Buffer {
  const header = Buffer.alloc(more + name.length)
  header.writeUInt32LE(signature, 0)
  name.copy(header, more)
  return header
}

/** An archive of some texts. */
export async function zipOf(members: readonly Member[]): Promise<Buffer> {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, at } of members) {
    const path = Buffer.from(name)
    const bytes = Buffer.from(content)
    const packed = await deflated(bytes)
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(flags, 2)
    about.writeUInt16LE(method, 4)
    about.writeUInt32LE(stampOf(at), 6)
    about.writeUInt32LE(crc32(bytes), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(bytes.length, 18)
    about.writeUInt16LE(path.length, 22)
    const local = headerOf(0x04034b50, 30, path)
    about.copy(local, 4)
    const entry = headerOf(0x02014b50, 46, path)
    entry.writeUInt16LE(20, 4)
    about.copy(entry, 6)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, packed)
    directory.push(entry)
    offset += local.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, listed, end])
}
