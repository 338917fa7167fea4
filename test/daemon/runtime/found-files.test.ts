import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { foundFiles, versionsOf } from '../../../daemon/runtime/runs/found-files.ts'
import type { FoundFile } from '../../../daemon/runtime/spool/changed-files.ts'

const most = { entries: 1, files: 1000, bytes: 1, pathBytes: 1, depth: 1, ms: 1 }
const asked = { roots: [{ path: '/output/ada' }, { path: '/workspace/shared' }], since: 0, most }
const alone = { ofAgent: false, ofCrew: false }
const same = <T>(value: T) => value
const file = (path: string, text = 'one\n', more: Partial<FoundFile> = {}): FoundFile => ({
  root: 0,
  path: Buffer.from(path).toString('base64'),
  size: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
  text: deflateRawSync(text).toString('base64'),
  ...more,
})
const versions = (files: FoundFile[], besides = alone, scrub = same) =>
  versionsOf({ files, cuts: [] }, asked, besides, scrub)

describe('what a search found', () => {
  it('is kept by the path that agents see, with its text', async () => {
    const [own, shared] = await versions([file('a/b.md'), file('c.ts', 'two\n', { root: 1, made: true })])
    expect(own).toMatchObject({ path: '/output/ada/a/b.md', certain: true, made: false })
    expect(shared).toMatchObject({ path: '/workspace/shared/c.ts', certain: true, made: true })
    expect(inflateRawSync(shared!.text!).toString()).toBe('two\n')
  })

  it.each(['../bo/a', 'a/../../b', '/etc/passwd', 'a//b', './a', ''])('is refused with the path "%s"', async (path) => {
    await expect(versions([file(path)])).rejects.toThrow('something else than files')
    expect(() => foundFiles({ files: [file(path)], cuts: [] }, asked, [], same)).toThrow('something else than files')
  })

  it('is not certain beside other runs; what is another agent’s is then left out', async () => {
    const files = [file('a'), file('b', 'x', { root: 1 }), file('c', 'y', { root: 1, other: true })]
    const kept = await versions(files, { ofAgent: false, ofCrew: true })
    expect(kept.map(({ path, certain }) => [path, certain])).toEqual([
      ['/output/ada/a', true],
      ['/workspace/shared/b', false],
    ])
    expect(await versions(files)).toHaveLength(3)
  })

  it('keeps no text that is not the one that was hashed, and refuses what is none', async () => {
    const [other] = await versions([file('a', 'one', { text: deflateRawSync('two').toString('base64') })])
    expect(other!.text).toBeNull()
    await expect(versions([file('a', 'one', { text: 'AAAA' })])).rejects.toThrow('something else than files')
    const bomb = deflateRawSync('x'.repeat(10_000_000)).toString('base64')
    await expect(versions([file('a', 'one', { text: bomb })])).rejects.toThrow('something else than files')
  })

  it('keeps eight megabytes of texts at most, however well they were deflated', async () => {
    const text = 'x'.repeat(256 * 1024)
    const kept = await versions(Array.from({ length: 40 }, (_, at) => file(`${at}`, text)))
    expect(kept.filter((one) => one.text !== null)).toHaveLength(32)
    expect(kept).toHaveLength(40)
  })

  it('is kept without secrets, and not by a path that has one', async () => {
    const scrub = <T>(value: T): T => (typeof value === 'string' ? (value.replaceAll('key', '***') as T) : value)
    const kept = await versions([file('a', 'a key'), file('key', 'x')], alone, scrub)
    expect(kept.map(({ text }) => inflateRawSync(text!).toString())).toEqual(['a ***'])
  })
})
