import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'
import { skillText } from '../../support/skills.ts'

const place = mkdtempSync(join(tmpdir(), 'skills-'))
afterAll(() => rmSync(place, { recursive: true }))

describe('muster skills', () => {
  it('imports a folder, shows it, and writes it out again byte by byte', async () => {
    const { run } = await cliFor(await daemon(), 'ADMIN')
    const folder = join(place, 'pdf')
    mkdirSync(join(folder, 'scripts'), { recursive: true })
    writeFileSync(join(folder, 'SKILL.md'), skillText('pdf', { category: 'WRITING' }))
    writeFileSync(join(folder, 'scripts/fill.sh'), '#!/bin/sh\necho hi\n')
    chmodSync(join(folder, 'scripts/fill.sh'), 0o755)
    expect(await run('skills', 'import', folder)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Imported'),
    })
    expect((await run('skills', 'import', folder)).stderr).toContain('Replaced skill pdf.')
    expect((await run('skills', '--category', 'WRITING', '-o', 'name')).stdout).toBe('pdf\n')
    expect((await run('skills', '--search', 'nothing', '--json')).stdout).toBe('[]\n')
    expect((await run('skills', 'show', 'pdf')).stdout).toContain('scripts/fill.sh*')
    const to = join(place, 'out')
    expect((await run('skills', 'export', 'pdf', '--to', to)).code).toBe(0)
    for (const file of ['SKILL.md', 'scripts/fill.sh'])
      expect(readFileSync(join(to, file))).toEqual(readFileSync(join(folder, file)))
    expect(statSync(join(to, 'scripts/fill.sh')).mode & 0o111).not.toBe(0)
    expect((await run('skills', 'export', 'pdf', '--to', to)).code).toBe(2)
    expect((await run('skills', 'remove', 'pdf', '--yes')).code).toBe(0)
    expect((await run('skills', 'show', 'pdf')).code).toBe(3)
  })

  it('refuses links, and says what to do without a licence', async () => {
    const { run } = await cliFor(await daemon(), 'ADMIN')
    const folder = join(place, 'linked')
    mkdirSync(folder)
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: linked\n---\n')
    expect(await run('skills', 'import', folder)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--unsafe-l'),
    })
    expect((await run('skills', 'import', folder, '--unsafe-license')).code).toBe(0)
    symlinkSync('/etc/passwd', join(folder, 'x'))
    expect(await run('skills', 'import', folder)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no plain file'),
    })
    expect((await run('skills', 'import', 'https://10.0.0.1/SKILL.md')).stderr).toContain('public address')
  })

  it('begins a skill that can be imported as it is', async () => {
    const { run } = await cliFor(await daemon(), 'ADMIN')
    const name = join(place, 'x')
    expect((await run('skills', 'init', name)).code).toBe(2)
    const before = process.cwd()
    process.chdir(place)
    try {
      expect((await run('skills', 'init', 'fresh')).code).toBe(0)
    } finally {
      process.chdir(before)
    }
    expect((await run('skills', 'import', join(place, 'fresh'))).code).toBe(0)
    expect(JSON.parse((await run('skills', 'show', 'fresh', '--json')).stdout)).toMatchObject({
      description_quality: '',
      scan_status: 'CLEAN',
      files: [{ path: 'scripts/example.sh', executable: true }],
    })
  })
})
