import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { type ContextFile, readContexts, writeContexts } from '../../../cli/contexts/file.ts'
import { plainRead } from '../../../cli/contexts/plain.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'muster-contexts-'))
  path = join(dir, 'deep', 'config.yaml')
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dir, { recursive: true })
})

const save = (text: string, mode = 0o600) => {
  path = join(dir, 'config.yaml')
  writeFileSync(path, text, { mode })
}

describe('the configuration file', () => {
  it('gives back what was stored, whatever the text, and can be read as YAML', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1 })
    const contexts = fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      fc.record({ server: text, token: text }),
      { maxKeys: 3 },
    )
    await fc.assert(
      fc.asyncProperty(contexts, fc.option(text, { nil: undefined }), async (contexts, current) => {
        const file: ContextFile = { ...(current !== undefined && { current }), contexts }
        writeContexts(path, file)
        expect(await readContexts(path)).toEqual(file)
        expect(parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(file)))
      }),
      { numRuns: 50 },
    )
  })

  it('is for its owner alone, and leaves nothing else behind', () => {
    const umask = process.umask(0)
    try {
      writeContexts(path, { contexts: { a: { server: 's', token: 't' } } })
    } finally {
      process.umask(umask)
    }
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, 'deep')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(dir, 'deep'))).toEqual(['config.yaml'])
  })

  it('keeps the old file when the new one cannot be written', () => {
    // With what is added to it, a draft's name is too long for any file.
    const long = join(dir, 'c'.repeat(250))
    writeFileSync(long, 'contexts: {}\n')
    expect(() => writeContexts(long, { contexts: { a: { server: 's' } } })).toThrow('ENAMETOOLONG')
    expect(readFileSync(long, 'utf8')).toBe('contexts: {}\n')
  })

  it('stays where a link of its owner leads', () => {
    const kept = join(dir, 'dotfiles.yaml')
    save('')
    rmSync(path)
    writeFileSync(kept, 'contexts: {}\n')
    symlinkSync(kept, path)
    writeContexts(path, { contexts: { a: { server: 's' } } })
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(readFileSync(kept, 'utf8')).toContain('"a":')
  })

  it.skipIf(process.getuid?.() !== 0)('goes nowhere that the link of another user leads', () => {
    const other = join(dir, 'precious')
    save('')
    rmSync(path)
    writeFileSync(other, 'precious')
    symlinkSync(other, path)
    lchownSync(path, 65534, 65534)
    writeContexts(path, { contexts: {} })
    expect(readFileSync(other, 'utf8')).toBe('precious')
    expect(lstatSync(path).isFile()).toBe(true)
  })

  it.each([0o644, 0o640, 0o604, 0o620])('is closed to others with a warning when its mode was %o', async (mode) => {
    save('contexts: {}\n')
    chmodSync(path, mode)
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await readContexts(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(String(said.mock.calls[0]?.[0])).toContain('was open to other users')
  })

  it('may be absent', async () => {
    expect(await readContexts(path)).toEqual({ contexts: {} })
    expect(existsSync(path)).toBe(false)
  })

  it('may be written by hand in any YAML', async () => {
    save('contexts: {a: {server: "http://x", workspace: 12}} # mine\ncurrent: a\n')
    expect(await readContexts(path)).toEqual({ current: 'a', contexts: { a: { server: 'http://x', workspace: '12' } } })
  })

  it.each([
    ['- a\n', 'must hold'],
    ['contexts: [\n', 'not valid YAML'],
    ['contexts:\n  a:\n    token: svc: [\n', /at line 3, column 12$/],
    ['contexts: {}\ntokens: {}\n', 'unknown member "tokens"'],
    ['contexts:\n  a:\n    workspace: w\n', 'needs a server for the context "a"'],
    ['contexts:\n  a:\n    server: s\n    pasword: p\n', 'unknown member "pasword" in the context "a"'],
    ['contexts:\n  a:\n    server: s\n    token: [t]\n', 'must hold text as "token"'],
    ['current: [a]\n', '"current"'],
  ])('is refused when it says %j', async (text, reason) => {
    save(text)
    await expect(readContexts(path)).rejects.toThrow(reason)
  })
})

describe('plainRead', () => {
  // biome-ignore format: one text a line
  it.each([
    '', '# only a remark\n', 'a: b\n', 'a: "b\\u001b\\n"\nc:\n  d: http://x:1/y\n  e:\n ' +
      '   f: g\n  h: i\nj: k\n', 'contexts: {}\n', '"a b":\n  c: d\n',
    'a: 1.5\n', 'a: 0x1f\n',
  ])('agrees with YAML on %j', (text) => expect(plainRead(text)).toEqual(parse(text, { schema: 'failsafe' }) ?? {}))

  // biome-ignore format: one text a line
  it.each([
    'a:\n', 'a: b\na: c\n', 'a:\n- b\n', 'a: |\n  b\n', 'a: b # c\n', 'a: [b]\n', "a: 'b'\n",
    'a: &x b\n', 'a: *x\n', 'a: b: c\n', 'a:b\n', '  a: b\n', 'a:\n  b: c\n d: e\n',
    'a:\tb\n', '---\na: b\n', 'a: "b\\x41"\n', '__proto__: x\n', '"__proto__":\n  a: b\n', 'a: b\r\n', 'a: "unended\n',
  ])('leaves %j to the real parser', (text) => expect(plainRead(text)).toBeUndefined())
})
