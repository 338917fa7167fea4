import { Buffer } from 'node:buffer'
import type { SeenWrite, WriteGap, WriteSink } from '../types.ts'
import { ids } from './names.ts'

/** Longer lines are none of watch-writes.pl's: it escapes paths of 1,000 bytes and names of 255. */
const longestLine = 8192
/** Lines in a second beyond which they are left out. watch-writes.pl says half as many at most. */
const mostLines = 2048

const limits = ['folders', 'watches', 'deep', 'entries'] as const
const whole = /^\d{1,12}$/

/**
 * Reads what watch-writes.pl says. It comes from a container: what does not look like a line of it is left out, and
 * false is answered to bytes that cannot be lines.
 */
export function readWriteLines(roots: readonly string[], sink: Omit<WriteSink, 'ended'>, now = Date.now) {
  let rest = ''
  let second = 0
  let lines = 0
  let leftOut = 0

  /** Whether there is room for one more line in this second. */
  function admits(): boolean {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      if (leftOut) sink.gap({ what: 'left', count: leftOut })
      second = current
      lines = leftOut = 0
    }
    if (++lines > mostLines) leftOut++
    return lines <= mostLines
  }

  function line(text: string): void {
    const [word = '', ...parts] = text.split('\t')
    if (word === 'new' || word === 'in' || word === 'old') {
      const seen = writeOf(word, parts, roots, now())
      if (seen) sink.write(seen)
    } else if (word === 'ready' && whole.test(parts[0] ?? '')) sink.ready(Number(parts[0]))
    else {
      const gap = gapOf(word, parts, roots)
      if (gap) sink.gap(gap)
    }
  }

  return (chunk: Buffer): boolean => {
    const pieces = (rest + chunk.toString('latin1')).split('\n')
    rest = pieces.pop()!
    for (const piece of pieces) if (admits()) line(piece)
    return rest.length <= longestLine
  }
}

function writeOf(
  how: SeenWrite['how'],
  parts: readonly string[],
  roots: readonly string[],
  now: number,
): SeenWrite | null {
  const [uid = '', ago = '', escaped = ''] = parts
  const path = pathOf(escaped, roots)
  if (parts.length !== 3 || !whole.test(uid) || !whole.test(ago) || !path) return null
  return Number(uid) < ids.firstAgent ? null : { how, uid: Number(uid), at: now - Number(ago) * 1000, path }
}

function gapOf(word: string, [first = '', second = '']: readonly string[], roots: readonly string[]): WriteGap | null {
  if (word === 'overflow') return { what: 'overflow' }
  if (word === 'left' && whole.test(first)) return { what: 'left', count: Number(first) }
  const what = limits.find((it) => it === first)
  const path = pathOf(second, roots)
  return word === 'limit' && what && path ? { what, path } : null
}

/** The path that was escaped; null when it is none below a root. */
function pathOf(escaped: string, roots: readonly string[]): string | null {
  if (escaped.length > longestLine) return null
  const bytes = escaped.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  const path = Buffer.from(bytes, 'latin1').toString('utf8')
  const within = roots.some((root) => path === root || path.startsWith(`${root}/`))
  return within && !path.includes('\0') ? path : null
}
