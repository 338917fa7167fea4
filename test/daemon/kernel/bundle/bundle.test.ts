import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, it } from 'vitest'
import { readManifest, verifyWhole, writeBundle } from '#kernel/bundle/envelope'
import type { Member } from '#kernel/bundle/members'
import { readContents } from '../../../../daemon/backup/contents.ts'
import { bundleOf, core, file, once, scratchFolder } from '../../../support/bundles.ts'

const large = Buffer.alloc(3 * 1024 * 1024 + 17, 'muster')
const usual = () => [file('data/muster.db', large), file('data/attachments/a b/ü', 'hello')]

/** What a bundle holds, read to its end. */
async function contentsOf(path: string, opening = {}): Promise<Map<string, Buffer | string>> {
  const found = new Map<string, Buffer | string>()
  await readContents(path, opening, async (head, content) => {
    const chunks: Buffer[] = []
    for await (const chunk of content) chunks.push(Buffer.from(chunk))
    found.set(head.name, head.type === 'file' ? Buffer.concat(chunks) : `${head.type} ${head.linkname ?? ''}`)
  })
  return found
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'sound',
    (error) => error.code ?? String(error),
  )

describe('a bundle', () => {
  it('gives back what was put into it, and the system can read it as well', async () => {
    const path = await bundleOf(usual())
    const found = await contentsOf(path)
    expect([...found.keys()]).toEqual(['data/muster.db', 'data/attachments/a b/ü'])
    // Compared at once: an assertion looks at every byte.
    expect(large.equals(found.get('data/muster.db') as Buffer)).toBe(true)
    expect(String(found.get('data/attachments/a b/ü'))).toBe('hello')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const folder = dirname(path)
    expect(spawnSync('tar', ['xf', path, '-C', folder]).status).toBe(0)
    const sums = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' })
    expect(sums.stdout).toBe('MANIFEST.json: OK\npayload.tar.zst: OK\n')
    expect(JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8'))).toMatchObject(core)
  })

  it('is altered by no bit unnoticed', async () => {
    const path = await bundleOf([file('data/muster.db', 'x'.repeat(3000))])
    const sound = readFileSync(path)
    expect(await codeOf(verifyWhole(path))).toBe('sound')
    for (let at = 0; at < sound.length; at += 7) {
      const bytes = Buffer.from(sound)
      bytes[at]! ^= 1 << (at % 8)
      writeFileSync(path, bytes)
      expect([at, await codeOf(verifyWhole(path))]).toEqual([
        at,
        expect.toBeOneOf(['bundle_altered', 'bundle_foreign', 'bundle_newer', 'bundle_truncated']),
      ])
    }
  })

  it('is cut off nowhere unnoticed', async () => {
    const path = await bundleOf(usual())
    const { size } = statSync(path)
    for (const left of [size - 1, size - 512, size - 1024, size - 2048, Math.floor(size / 2), 600, 511, 0]) {
      truncateSync(path, left)
      expect([left, await codeOf(verifyWhole(path))]).toEqual([left, 'bundle_truncated'])
    }
  })

  it('of a newer version is refused as that', async () => {
    const path = await bundleOf(usual(), { change: { format_version: 2 } })
    expect(await codeOf(readManifest(path))).toBe('bundle_newer')
  })

  it('is told from other files', async () => {
    const path = join(scratchFolder(), 'other')
    writeFileSync(path, 'x'.repeat(5000))
    expect(await codeOf(readManifest(path))).toBe('bundle_foreign')
  })

  it('has the manifest that it was made with, also when its sums were made anew', async () => {
    const path = await bundleOf(usual())
    const folder = dirname(path)
    spawnSync('tar', ['xf', path, '-C', folder])
    const payload = readFileSync(join(folder, 'payload.tar.zst'))
    const forged = join(folder, 'forged')
    await writeBundle(forged, { ...core, installation: 'another' }, once(payload))
    expect(await codeOf(verifyWhole(forged))).toBe('sound')
    expect(await codeOf(contentsOf(forged))).toBe('bundle_altered')
  })

  it('leaves nothing of one that could not be written, and replaces none', async () => {
    const folder = scratchFolder()
    const path = join(folder, 'a.muster.tar')
    async function* failing() {
      yield Buffer.from('begun')
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    }
    expect(await codeOf(writeBundle(path, core, failing()))).toBe('ENOSPC')
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(path, 'kept')
    expect(await codeOf(writeBundle(path, core, once('x')))).toBe('EEXIST')
    expect(readFileSync(path, 'utf8')).toBe('kept')
    expect(existsSync(`${path}.partial`)).toBe(false)
  })
})

describe('an encrypted bundle', () => {
  const passphrase = 'twelve chars and more'

  it('opens with its passphrase alone', async () => {
    const path = await bundleOf(usual(), { locking: { kind: 'passphrase', passphrase } })
    expect(readFileSync(path).includes('hello')).toBe(false)
    expect((await contentsOf(path, { passphrase })).size).toBe(2)
    expect(await codeOf(contentsOf(path, { passphrase: 'another passphrase' }))).toBe('secret_wrong')
    expect(await codeOf(contentsOf(path))).toBe('secret_needed')
    expect(await codeOf(verifyWhole(path))).toBe('sound')
  })

  it('opens with the identity of its recipient alone, also from a file of age', async () => {
    const identity = await generateIdentity()
    const recipient = await identityToRecipient(identity)
    const path = await bundleOf(usual(), { locking: { kind: 'recipient', recipient } })
    expect((await contentsOf(path, { identity: `# created: today\n${identity}\n` })).size).toBe(2)
    expect(await codeOf(contentsOf(path, { identity: await generateIdentity() }))).toBe('secret_wrong')
    expect(await codeOf(contentsOf(path, { identity: 'nonsense' }))).toBe('secret_wrong')
  })
})

describe('a bundle that Muster did not make', () => {
  const link = (name: string, linkname: string): Member => ({ name, type: 'symlink', mode: 0o777, linkname })
  const odd = (type: string): Member => ({
    name: 'data/x',
    type: type as 'file',
    mode: 0o600,
    linkname: 'data/muster.db',
  })
  it.each([
    ['a path above', file('../evil', 'x')],
    ['a path above, further inside', file('data/crews/../../../evil', 'x')],
    ['an absolute path', file('/etc/evil', 'x')],
    ['an empty part', file('data//evil', 'x')],
    ['a hard link', odd('link')],
    ['a device', odd('character-device')],
    ['a block device', odd('block-device')],
    ['a named pipe', odd('fifo')],
  ])('is refused for %s', async (_, member) => {
    const path = await bundleOf([member])
    expect(await codeOf(contentsOf(path))).toBe('bundle_hostile')
  })

  it('may hold links, which lead where they like: they are made last', async () => {
    expect(await contentsOf(await bundleOf([link('data/crews/c/shared/l', '/etc/passwd')]))).toEqual(
      new Map([['data/crews/c/shared/l', 'symlink /etc/passwd']]),
    )
  })
})
