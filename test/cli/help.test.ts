import { describe, expect, it } from 'vitest'
import type { CommandRow } from '../../cli/help/tree.ts'
import { cli } from '../support/cli.ts'
import { commands } from '../support/typed.ts'

const all = Object.values(commands)
const listed = all.filter(({ hidden }) => !hidden)
const unlisted = all.flatMap(({ hiddenAliases }) => hiddenAliases)
/** First words and pairs of words that only names have which are shown nowhere. */
const secret = [...new Set(unlisted.flatMap((name) => [name, name.split(':')[0]!]))].filter(
  (name) => !listed.some(({ id, aliases }) => [id, ...aliases].some((it) => it === name || it.startsWith(`${name}:`))),
)
const spaced = (id: string) => id.replaceAll(':', ' ')

describe('every command', () => {
  it('has a summary in the imperative, examples, and a text for all that it takes', () => {
    for (const { id, summary, examples, args, flags } of listed) {
      expect(summary, id).toMatch(/^[A-Z][a-z]+ .{3,88}[^.]$/)
      expect(summary, id).not.toMatch(/^(?:Shows|Lists|Creates|Deletes|Prints|Say|Whether|What|How) /)
      expect(examples?.length, id).toBeGreaterThan(0)
      for (const it of [...Object.values(args), ...Object.values(flags)])
        expect(it.description ?? ('summary' in it && it.summary), `${id} ${it.name}`).toBeTruthy()
    }
  })

  it('begins its help with examples, shows common flags and names the page of the documentation', async () => {
    const { run } = cli()
    for (const { id, flags, summary } of listed) {
      const { stdout, code } = await run(...id.split(':'), '--help')
      expect(code, id).toBe(0)
      expect(stdout.startsWith(`${summary}\n\nEXAMPLES\n  $ `) || /EXAMPLES\n {2}\S/.test(stdout), id).toBe(true)
      expect(stdout.indexOf('EXAMPLES'), id).toBeLessThan(stdout.indexOf('\nUSAGE\n'))
      expect(stdout, id).toContain(`Documentation: docs/cli/${id.split(':')[0]}.md\n`)
      expect(stdout, id).not.toContain('GLOBAL FLAGS')
      const rare = Object.values(flags).filter(({ helpGroup }) => helpGroup === 'MORE')
      for (const { name } of rare) expect(stdout, id).not.toContain(`--${name}=`)
    }
  })

  it('shows all of its flags with --help --all, within 80 columns but for examples and long flags', async () => {
    const { run } = cli()
    for (const { id, flags } of listed) {
      const { stdout } = await run(...id.split(':'), '--help', '--all')
      const shown = Object.values(flags).filter(({ hidden }) => !hidden)
      for (const { name } of shown) expect(stdout, id).toMatch(new RegExp(`--(?:\\[no-\\])?${name}\\b`))
      const below = stdout.slice(stdout.indexOf('\nUSAGE')).split('\n')
      expect(
        below.filter((line) => line.length > 80 && !/^ *(\$ |--)/.test(line)),
        id,
      ).toEqual([])
    }
  })

  it('stands in muster commands --json with what it takes', async () => {
    const rows = JSON.parse((await cli().run('commands', '--json')).stdout) as CommandRow[]
    expect(rows.map(({ command }) => command)).toEqual(listed.map(({ id }) => spaced(id)).sort())
    const create = rows.find(({ command }) => command === 'crews create')!
    expect(create).toMatchObject({
      summary: 'Create a crew',
      usage: 'muster crews create NAME [FLAGS]',
      arguments: [{ name: 'NAME', required: true, values: null }],
      documentation: 'docs/cli/crews.md',
    })
    expect(create.flags).toContainEqual({
      name: 'network-mode',
      short: null,
      description: 'network access of agents: allowed domains only, or everything',
      takes_value: true,
      required: false,
      repeatable: false,
      values: ['restricted', 'free'],
      global: false,
    })
    for (const { flags } of rows) expect(flags.find(({ name }) => name === 'json')).toMatchObject({ global: true })
  })
})

describe('every noun', () => {
  const topics = [
    ...new Set(
      listed.flatMap(({ id }) =>
        id
          .split(':')
          .slice(0, -1)
          .map((_, at, all) => all.slice(0, at + 1).join(':')),
      ),
    ),
  ]

  it('has help with its commands, examples and its page', async () => {
    const { run } = cli()
    expect(topics.length).toBeGreaterThan(25)
    for (const topic of topics) {
      const { stdout } = await run(...topic.split(':'), 'help')
      const own = commands[topic] ? stdout : stdout.slice(stdout.indexOf('COMMANDS'))
      expect(stdout.split('\n')[0], topic).toMatch(/^[A-Z]/)
      expect(stdout, topic).toMatch(/\n\nEXAMPLES\n {2}\S/)
      expect(stdout, topic).toContain(`docs/cli/${topic.split(':')[0]}.md\n`)
      if (!commands[topic])
        for (const { id } of listed.filter(({ id }) => id.startsWith(`${topic}:`)))
          expect(own, topic).toContain(`  ${id.slice(topic.length + 1).split(':')[0]} `)
    }
  })
})

describe('names that are shown nowhere', () => {
  it('are some', () => expect(secret).toEqual(expect.arrayContaining(['users', 'totp', 'bootstrap', 'crews:replace'])))

  it('are neither completed nor suggested, and have no help of their own', async () => {
    const { run } = cli()
    for (const name of secret) {
      const words = name.split(':')
      const last = words.at(-1)!
      const { stdout } = await run('__complete', ...words.slice(0, -1), last.slice(0, -1))
      expect(
        stdout.split('\n').map((line) => line.split('\t')[0]),
        name,
      ).not.toContain(last)
      const { stderr } = await run(...words.slice(0, -1), `${last}x`)
      expect(stderr, name).not.toMatch(new RegExp(`Did you mean +muster ${spaced(name)}\\b`))
    }
    for (const name of secret.filter((it) => !unlisted.includes(it)))
      expect((await run(name)).stderr, name).toContain(`There is no command "muster ${name}".`)
    const { stdout } = await run('commands')
    for (const name of secret) expect(stdout).not.toMatch(new RegExp(`^${spaced(name)}\\b`, 'm'))
  })

  it('work all the same', async () => {
    const { run } = cli()
    for (const name of unlisted) expect((await run(...name.split(':'), '--help')).code, name).toBe(0)
  })
})

describe('flags', () => {
  it.each([
    ['crews list --limt 3', 'There is no flag --limt; did you mean --limit?'],
    ['crews list --frobnicate', 'There is no flag --frobnicate.'],
    ['crews show', 'CREW is missing. Usage: muster crews show CREW'],
    ['crews add-member', 'CREW and USER are missing. Usage: muster crews add-member CREW USER'],
    ['crews show a b', '"b" is one word too many. Usage: muster crews show CREW'],
    ['crews list --limit', '--limit needs a value.'],
    ['crews list --limit x', '--limit must be a whole number, not "x".'],
    ['crews list --limit 0', '--limit must be at least 1, not 0.'],
    ['agents create x --timeout 86401', '--timeout must be at most 86400, not 86401.'],
    ['crews list -o xml', '--output must be one of table, wide, json, yaml, ndjson, name, tsv, not "xml".'],
    ['crews create x --cpus=-1', '--cpus must be a number of at least 0, not "-1".'],
    [
      'approvals list --status x',
      '--status must be one of pending, approved, denied, timeout, cancelled, all, not "x".',
    ],
    ['completion tcsh', 'SHELL must be one of bash, zsh, fish, powershell, not "tcsh".'],
    ['chat ada --new --chat 1', '--new and --chat exclude each other.'],
    ['login --otp 1', '--otp works only with --email.'],
    ['account update', '--name is missing.'],
    ['account update --name a --name b', '--name can be given only once.'],
  ])('muster %s: %s', async (line, said) => {
    const { stderr, code } = await cli().run(...line.split(' '))
    expect([stderr.split('\n')[0], code]).toEqual([`Error: ${said}`, 2])
    expect(stderr).toMatch(/\nNext: muster [a-z -]+ --help\n$/)
  })
})
