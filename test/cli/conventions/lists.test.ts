import { describe, expect, it } from 'vitest'
import { isWholeId } from '../../../cli/output/short-id.ts'
import { cli } from '../../support/cli.ts'
import { commands, lineOf, lists } from '../../support/commands.ts'
import { sampleId, sampleServer } from '../../support/sample-server.ts'

const served = lists.filter(({ id }) => !id.startsWith('admin:'))
const ids = (of: typeof lists) => of.map((command) => [command.id, command] as const)
const variables = (server: { url: string }) => ({
  SVC_SERVER: server.url,
  SVC_TOKEN: 'svc_cli_test',
  SVC_WORKSPACE: sampleId,
})

/** Commands whose JSON may be anything, and why. */
const anything: Record<string, string> = {
  api: 'the reply of any request',
  'chats:stream': 'frames of many kinds',
  export: 'manifests, whose kinds differ',
  'issues:start': 'with --follow frames of many kinds',
  'mcp:serve': 'messages of a protocol',
  'routines:export': 'a bundle, whose definition is free',
  'routines:schema': 'a document of a standard',
  'runs:logs': 'frames of many kinds',
  schema: 'a document of a standard',
  'system:openapi': 'a document of a standard',
  'system:ready': 'what a probe reads',
}

/** Lists of what happened, which has no name: what it was stands first. */
const events: Record<string, string> = {
  'integrations:tools': 'TOOL',
  'agents:logs': 'EVENT',
  'credentials:audit': 'EVENT',
  'issues:activity': 'ACTION',
  'issues:comments': 'AUTHOR',
  'routines:logs': 'TIME',
  'routines:versions': 'VERSION',
  'tokens:uses': 'PATH',
}

it('finds all of them', () => {
  expect(served.length).toBeGreaterThan(30)
  expect(lists.filter(({ flags }) => !('all' in flags)).map(({ id }) => id)).toEqual([])
  const named = commands.filter(({ id }) => /:(list|mine|members|types|rotations|links)$/.test(id))
  expect(named.filter((command) => !lists.includes(command)).map(({ id }) => id)).toEqual([])
})

describe.each(ids(served))('%s', (_, command) => {
  const line = lineOf(command)

  it('is a bare array for programs, cut by --limit, followed by --all', async () => {
    const { run } = cli(variables(await sampleServer()))
    for (const flags of [[], ['--limit', '1'], ['--all']]) {
      const { code, stdout, stderr } = await run(...line, '--json', ...flags)
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Error') })
      expect(JSON.parse(stdout)).toBeInstanceOf(Array)
      if (flags.includes('1')) expect(JSON.parse(stdout).length).toBeLessThanOrEqual(1)
    }
    const { stdout } = await run(...line, '--jq', 'type')
    expect(stdout).toBe('array\n')
  })

  // `ps` names people, so it wants to know the workspace, of which the server then knows nothing.
  it.skipIf(command.id === 'ps')('knows its members though it is empty', async () => {
    const { run } = cli(variables(await sampleServer({ empty: true })))
    const { rows, of } = command.members!
    const empty = command.id === 'config:list' ? expect.stringMatching(/^\[/) : '[]\n'
    expect(await run(...line, `--json=${(rows ?? of)[0]!.replace('*', 'x')}`)).toMatchObject({ code: 0, stdout: empty })
    expect(await run(...line, '--json=no_such_member')).toMatchObject({ code: 2, stdout: '' })
  })

  it.each([120, 80, 60, 40])('has headers and whole words at %i columns', async (cols) => {
    const { screen, env } = cli(variables(await sampleServer()))
    const shown = async (...flags: string[]) => {
      const it = screen([...line, '--no-color', '-o', 'table', ...flags], { cols, env })
      expect(await it.ended).toBe(0)
      return it
        .text()
        .split('\r\n')
        .filter((row) => row && !row.startsWith('Left out: '))
    }
    const [cut, full] = [await shown('-q'), await shown('-q', '--no-trunc')]
    // Nothing is stored on this machine.
    if (['alias:list', 'contexts:list', 'plugins:list', 'preferences:list'].includes(command.id)) return
    const headers = full[0]!.trim().split(/ +/)
    expect(headers).toEqual(full[0]!.trim().split(/ {2,}/))
    expect(headers[0]).toBe(events[command.id] ?? (headers[0] === 'ID' ? 'ID' : 'NAME'))
    if (headers.includes('AGE')) expect(headers.at(-1)).toBe('AGE')
    expect(headers.filter((header) => !/^[A-Z0-9-]+$/.test(header))).toEqual([])
    const words = new Set(full.flatMap((row) => row.split(' ')))
    const ends = [...words].filter(isWholeId).flatMap((id) => [8, 12].map((length) => id.slice(-length)))
    const isWhole = (word: string) => words.has(word) || words.has(word.replace(/…$/, '')) || ends.includes(word)
    expect(cut.flatMap((row) => row.split(' ')).filter((word) => word !== '…' && !isWhole(word))).toEqual([])
    const widest = Math.max(...cut.map((row) => row.length))
    expect(widest <= cols || !cut[0]!.trim().includes(' ')).toBe(true)
    // Words of the service are in lower case for people.
    expect(
      full
        .slice(1)
        .flatMap((row) => row.split(/ +/))
        .filter((word) => /^[A-Z]{2}[A-Z_]+$/.test(word)),
    ).toEqual([])
  })
})

describe('every command', () => {
  it.each(ids(commands.filter(({ id }) => !(id in anything))))('%s refuses an unknown member', async (_, command) => {
    const server = await sampleServer()
    const { run } = cli(variables(server))
    expect(command.members).not.toBeNull()
    const ran = await run(...lineOf(command), '--json=no_such_member')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(ran.stderr)).toMatchObject({
      message: expect.stringContaining('There is no member "no_such_member"'),
      code: 'invalid_input',
      field: null,
      status: null,
      exit_code: 2,
      request_id: null,
      docs: null,
    })
    expect(server.seen).toEqual([])
  })

  it('says what its JSON holds', () =>
    expect(commands.filter(({ members }) => members === null).map(({ id }) => id)).toEqual(Object.keys(anything)))

  it('gives each letter one meaning', () => {
    const meanings = new Map<string, Set<string>>()
    for (const { flags } of commands)
      for (const { char, name } of Object.values(flags))
        if (char) meanings.set(char, (meanings.get(char) ?? new Set()).add(name))
    const several = [...meanings].filter(([, names]) => names.size > 1).map(([char, names]) => [char, [...names]])
    // Both are what is said to an agent along with a decision; -f is follow and file as in kubectl.
    expect(several.sort()).toEqual([
      ['f', ['file', 'follow']],
      ['m', ['comment', 'resolution']],
    ])
  })
})
