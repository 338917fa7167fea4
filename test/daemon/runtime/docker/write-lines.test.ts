import { describe, expect, it } from 'vitest'
import { readWriteLines } from '../../../../daemon/runtime/docker/write-lines.ts'
import type { SeenWrite, WriteGap } from '../../../../daemon/runtime/types.ts'

function reader() {
  const it = { seen: [] as SeenWrite[], gaps: [] as WriteGap[], folders: -1, now: 1_000_000 }
  const read = readWriteLines(
    ['/crew/shared'],
    {
      ready(folders) {
        it.folders = folders
      },
      write: (seen) => void it.seen.push(seen),
      gap: (gap) => void it.gaps.push(gap),
    },
    () => it.now,
  )
  return { it, read: (text: string | Buffer) => read(Buffer.from(text)) }
}

describe('what the watcher of a crew says', () => {
  it('is read line by line, wherever it is cut', () => {
    const { it, read } = reader()
    for (const byte of 'ready\t12\nnew\t20001\t3\t/crew/shared/a%20b%0A%25\noverflow\nleft\t7\n') read(byte)
    read('limit\tfolders\t/crew/shared/x\n')
    expect(it.folders).toBe(12)
    expect(it.seen).toEqual([{ how: 'new', uid: 20001, at: 997_000, path: '/crew/shared/a b\n%' }])
    expect(it.gaps).toEqual([
      { what: 'overflow' },
      { what: 'left', count: 7 },
      { what: 'folders', path: '/crew/shared/x' },
    ])
  })

  it.each([
    'new\t20001\t3\t/etc/passwd',
    'new\t20001\t3\t/crew/sharedother/x',
    'new\t0\t3\t/crew/shared/a',
    'new\t-1\t3\t/crew/shared/a',
    'new\t20001\tx\t/crew/shared/a',
    'new\t20001\t3\t/crew/shared/a\tmore',
    'new\t20001\t3\t/crew/shared/%00',
    'new\t20001',
    'limit\tanything\t/crew/shared',
    'left\tmany',
    '__proto__\t1',
    '',
  ])('is left out where it is no such line: %j', (line) => {
    const { it, read } = reader()
    expect(read(`${line}\n`)).toBe(true)
    expect([it.seen, it.gaps, it.folders]).toEqual([[], [], -1])
  })

  it('is no text without ends of lines', () => {
    const { read } = reader()
    expect(read('x'.repeat(8192))).toBe(true)
    expect(read('x')).toBe(false)
  })

  it('is no more than a number of lines in a second, and then it is told how many were left out', () => {
    const { it, read } = reader()
    read('new\t20001\t0\t/crew/shared/a\n'.repeat(3000))
    expect(it.seen).toHaveLength(2048)
    it.now += 1000
    read('new\t20001\t0\t/crew/shared/a\n')
    expect(it.seen).toHaveLength(2049)
    expect(it.gaps).toEqual([{ what: 'left', count: 952 }])
  })
})
