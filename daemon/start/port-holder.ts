import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const listening = '0A'
/** Characters of a command line that are told. */
const longest = 120

/** The process that listens on a TCP port, as far as this user may see it. Linux alone tells. */
export function holderOf(port: number): { pid: number; command: string } | null {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => socketsOf(file, port)))
  if (sockets.size === 0) return null
  const pid = namesIn('/proc').find((name) => /^\d+$/.test(name) && holds(name, sockets))
  return pid === undefined ? null : { pid: Number(pid), command: commandOf(pid) }
}

/** Names of the sockets that listen on the port, as links in /proc have them. */
function socketsOf(file: string, port: number): string[] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return textOf(file)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(ending) && state === listening)
    .map((columns) => `socket:[${columns[9]}]`)
}

function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`
  return namesIn(folder).some((name) => sockets.has(linkOf(`${folder}/${name}`)))
}

/** One line without controls, since anybody may choose it. */
function commandOf(pid: string): string {
  const words = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() || textOf(`/proc/${pid}/comm`).trim()
  const plain = words.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain
}

// Processes end while they are looked at, and those of others are closed.
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
const namesIn = (folder: string): string[] => attempt(() => readdirSync(folder), [])
const linkOf = (path: string): string => attempt(() => readlinkSync(path), '')
const textOf = (path: string): string => attempt(() => readFileSync(path, 'utf8'), '')
