import { describe, expect, it } from 'vitest'
import { ProblemError } from '#client'
import { problems } from '#contract/problems'
import { explain } from '../../cli/failure.ts'
import { commands, filesOf, flawOf, known, linesIn, read, textsOf } from '../support/typed.ts'

const flaws = (text: string, complete: boolean) => linesIn(text).flatMap((words) => flawOf(words, { complete }) ?? [])
/** What is meant to be typed: it stands alone, or follows "Next:". */
const isNext = (text: string) => /^muster |Next: muster /.test(text)

describe('commands that people are told', () => {
  it('finds what cannot be typed', () => {
    expect(flaws('muster crews lst, then more', false)).toEqual(['muster crews lst: no such command'])
    expect(flaws('muster api list', false)).toEqual([])
    expect(flaws('see `muster crews show --limit 3`', false)).toEqual(['muster crews show --limit 3: no flag --limit'])
    expect(flaws('muster crews show', true)).toEqual(['muster crews show: an argument is missing'])
    expect(flaws('muster whoami shows it', true)).toEqual(['muster whoami shows it: too many words'])
    expect(flaws('muster agents create NAME --crew CREW', true)).toEqual([])
    expect(flaws('muster users me', true)).toEqual(['muster users me: no such command'])
  })

  const shellScripts = 'cli/complete/scripts.ts'
  const sources = [...filesOf('cli', '.ts').filter((path) => path !== shellScripts), 'daemon/main.ts']
  const texts = sources.flatMap((path) => textsOf(read(path)).map((text) => ({ path, text })))

  it('can be typed as they stand in the sources', () => {
    expect(texts.filter(({ text }) => isNext(text)).length).toBeGreaterThan(60)
    expect(texts.flatMap(({ path, text }) => flaws(text, isNext(text)).map((flaw) => `${path}: ${flaw}`))).toEqual([])
  })

  it('can be typed after every problem of every command', () => {
    const found = Object.values(commands).flatMap(({ id, flags, args }) =>
      Object.entries(problems).flatMap(([code, [status, title]]) => {
        const error = new ProblemError({ type: 'about:blank', title, status, code, instance: '/', error: title })
        const command = id.replaceAll(':', ' ')
        const { next } = explain(error, { command, shape: { flags, args }, known, local: true, hasToken: true })
        return next === undefined ? [] : [next]
      }),
    )
    expect(found.length).toBeGreaterThan(1000)
    expect([...new Set(found)].flatMap((next) => flaws(next, true))).toEqual([])
  })

  it('are what the examples of all commands show', () => {
    for (const { id, examples = [] } of Object.values(commands)) {
      const shown = examples.map((it) => String(typeof it === 'string' ? it : it.command))
      const lines = shown.map((text) => text.replaceAll('<%= config.bin %>', 'muster'))
      expect(
        lines.flatMap((text) => flaws(text, true)),
        id,
      ).toEqual([])
      expect(lines.flatMap(linesIn).length, id).toBeGreaterThan(0)
    }
  })
})

describe('commands and flags in the documentation', () => {
  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...filesOf('docs', '.md')]

  it.each(pages.map((path) => [path]))('of %s exist', (path) => {
    const code = [...read(path).matchAll(/```[\s\S]*?```|`[^`\n]+`/g)].map(([text]) => text)
    const lines = code.flatMap((text) => text.split('\n')).map((line) => line.replace(/ # .*|[[\]]|^upstream .*/g, ''))
    expect(lines.flatMap((line) => flaws(line, false))).toEqual([])
  })
})
