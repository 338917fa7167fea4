import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands, read } from '../support/typed.ts'

const folder = new URL('../../dist/man/', import.meta.url).pathname
const pages = readdirSync(folder)
const listed = Object.values(commands).filter(({ hidden }) => !hidden)
const escaped = (text: string) => text.replaceAll('-', '\\-')

describe('the manual', () => {
  it('has a page for each first word of the commands, which package.json names', () => {
    const words = [...new Set(listed.map(({ id }) => id.split(':')[0]))]
    expect(pages.sort()).toEqual(['muster.1', ...words.map((word) => `muster-${word}.1`)].sort())
    expect(JSON.parse(read('package.json')).directories.man).toBe('./dist/man')
  })

  it('has every command with its summary and its own flags', () => {
    for (const { id, summary, flags } of listed) {
      const page = read(`dist/man/muster-${id.split(':')[0]}.1`)
      expect(page, id).toContain(`.SS muster ${escaped(id.replaceAll(':', ' '))}\n${escaped(summary!)}.\n`)
      const own = Object.values(flags).filter(({ helpGroup, hidden }) => helpGroup !== 'GLOBAL' && !hidden)
      for (const { name } of own) expect(page, id).toContain(escaped(`--${name}`))
    }
  })

  it.skipIf(spawnSync('groff', ['--version']).error)('is what groff can set', () => {
    const files = pages.map((name) => `${folder}${name}`)
    const { stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', ...files], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})
