import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { noRuntime } from '#kernel/absent'
import type { AgentCommand, AgentSpec, CommandEnd, ObservedCrew } from '#runtime/types'
import { closing, daemon } from '#test'
import { desiredCrew } from '../../../daemon/features/crews/containers/service.ts'
import { RuntimeError } from '../../../daemon/runtime/errors.ts'
import { createInstalled } from '../../../daemon/runtime/installed.ts'
import { ProcessRuntime } from '../../../daemon/runtime/process/runtime.ts'
import { FakeRuntime } from '../../support/fake-runtime.ts'
import { workplace } from '../../support/runs.ts'

const programs = new URL('../../../daemon/runtime/spool/', import.meta.url).pathname
const all = ['CLAUDE_CODE', 'CODEX_CLI', 'GEMINI_CLI', 'OPENCODE', 'CURSOR_CLI', 'FACTORY_DROID']

interface Listed {
  cli_adapter: string
  installed: boolean | null
  version: string | null
  providers: string[]
  can: Record<string, boolean>
  refused: string | null
}

/** A crew whose container answers so to the question for its programs, and what it was asked. */
async function crewThat(answer: () => CommandEnd | Error, state: ObservedCrew['state'] = 'running') {
  const asked: { agent: AgentSpec; command: AgentCommand }[] = []
  const runtime = Object.assign(new FakeRuntime(), {
    kind: 'docker',
    observe: async (crewId?: string) => [{ crewId, state, containerId: 'box' }],
    command: async (_crew: string, agent: AgentSpec, command: AgentCommand) => {
      asked.push({ agent, command })
      const given = answer()
      if (given instanceof Error) throw given
      return given
    },
  }) as unknown as FakeRuntime
  const it = await workplace({ runtime })
  it.app.runtime = { ...noRuntime, adapters: createInstalled(it.app, runtime) }
  const list = async (crewId = it.crewId) =>
    (await it.call('VIEWER', 'GET', `/adapters?crew_id=${crewId}`)).body.adapters as Listed[]
  return { ...it, asked, list }
}

const said = (found: unknown, code = 0): CommandEnd => ({
  code,
  stdout: typeof found === 'string' ? found : JSON.stringify(found),
  stderr: '',
})
const installedIn = (list: Listed[]) => list.map(({ installed }) => installed)
const unknown = all.map(() => null)

describe('GET /adapters', () => {
  it('says of each client who pays for it, what it can, and why it is refused', async () => {
    const { call } = await crewThat(() => said({}))
    const { status, body } = await call('VIEWER', 'GET', '/adapters')
    const can = (...able: string[]) =>
      Object.fromEntries(
        ['resume', 'steer', 'mcp', 'sub_agents', 'images', 'cost_report', 'turn_cap'].map((it) => [
          it,
          able.includes(it),
        ]),
      )
    const absent = { installed: null, version: null, refused: null }
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        adapters: [
          {
            ...absent,
            cli_adapter: 'CLAUDE_CODE',
            providers: ['ANTHROPIC'],
            can: can('resume', 'steer', 'mcp', 'images', 'cost_report', 'turn_cap'),
          },
          { ...absent, cli_adapter: 'CODEX_CLI', providers: ['OPENAI'], can: can('resume', 'steer', 'mcp') },
          {
            ...absent,
            cli_adapter: 'GEMINI_CLI',
            providers: ['GOOGLE'],
            can: can('resume', 'steer', 'mcp', 'turn_cap'),
          },
          {
            ...absent,
            cli_adapter: 'OPENCODE',
            providers: ['ANTHROPIC', 'OPENAI', 'GOOGLE'],
            can: can('resume', 'mcp', 'cost_report'),
          },
          {
            ...absent,
            cli_adapter: 'CURSOR_CLI',
            providers: [],
            can: can(),
            refused: 'It takes only a real key, which no agent holds, and was never run',
          },
          {
            ...absent,
            cli_adapter: 'FACTORY_DROID',
            providers: ['ANTHROPIC', 'OPENAI'],
            can: can('resume', 'steer', 'mcp'),
          },
        ],
      },
    })
  })

  it('asks the container of a crew that runs, as its first agent and with a limit, once in a minute', async () => {
    const found = { claude: { version: '2.1.197' }, codex: {}, gemini: null, opencode: null, 'cursor-agent': null }
    const it = await crewThat(() => said(found))
    const list = await it.list()
    expect(list.map(({ cli_adapter, installed, version }) => [cli_adapter, installed, version])).toEqual([
      ['CLAUDE_CODE', true, '2.1.197'],
      ['CODEX_CLI', true, null],
      ['GEMINI_CLI', false, null],
      ['OPENCODE', false, null],
      ['CURSOR_CLI', false, null],
      ['FACTORY_DROID', null, null],
    ])
    expect(await it.list()).toEqual(list)
    expect(it.asked).toMatchObject([{ agent: { slug: 'ada' }, command: { seconds: 10, mostBytes: 8192 } }])
    expect(it.asked[0]!.command.argv.slice(4)).toEqual([
      'claude',
      'codex',
      'gemini',
      'opencode',
      'cursor-agent',
      'droid',
    ])
  })

  it.each(['<b>2</b>', '2.1\u001b[2J', `1${'0'.repeat(40)}`, 'latest', 2, { a: 1 }, ['1.0']])(
    'takes no version that is not one: %j',
    async (version) => {
      const it = await crewThat(() => said({ claude: { version } }))
      const [claude] = await it.list()
      expect(claude).toMatchObject({ installed: true, version: version === 2 ? '2' : null })
    },
  )

  it.each([
    ['is refused', () => new RuntimeError('not_running', 'The crew is not running')],
    ['takes too long', () => said({ claude: {} }, 124)],
    ['is nonsense', () => said('hello')],
    ['is a list', () => said([1])],
  ])('does not know when the answer %s, and asks again', async (_, answer) => {
    const it = await crewThat(answer)
    expect(installedIn(await it.list())).toEqual(unknown)
    expect(installedIn(await it.list())).toEqual(unknown)
    expect(it.asked).toHaveLength(2)
  })

  it('does not know and asks nothing while the crew does not run or has no agent', async () => {
    const stopped = await crewThat(() => said({ claude: {} }), 'stopped')
    expect(installedIn(await stopped.list())).toEqual(unknown)
    const { body } = await stopped.call('OWNER', 'POST', '/crews', { name: 'Empty', slug: 'empty' })
    const running = await crewThat(() => said({ claude: {} }))
    const empty = await running.call('OWNER', 'POST', '/crews', { name: 'Empty', slug: 'empty' })
    expect(installedIn(await stopped.list(body.id))).toEqual(unknown)
    expect(installedIn(await running.list(empty.body.id))).toEqual(unknown)
    expect([...stopped.asked, ...running.asked]).toEqual([])
  })

  it('treats a crew of another workspace as one that is not there', async () => {
    const it = await crewThat(() => said({}))
    const ask = (who: Parameters<typeof it.call>[0], id: string) => it.call(who, 'GET', `/adapters?crew_id=${id}`)
    const foreign = await ask(it.stranger(), it.crewId)
    const absent = await ask('OWNER', 'cnone00000000000000000000')
    expect([foreign.status, absent.status]).toEqual([404, 404])
    expect(foreign.body.detail).toBe(absent.body.detail)
    expect(it.asked).toEqual([])
  })

  it('says that there is no runtime where there is none', async () => {
    const { call } = await daemon()
    expect((await call('VIEWER', 'GET', '/adapters')).body).toMatchObject({ status: 503, code: 'runtime_unavailable' })
  })

  it('looks for the programs of this machine where agents are its processes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-adapters-'))
    const brought = join(folder, 'lib/node_modules/client')
    mkdirSync(brought, { recursive: true })
    writeFileSync(join(brought, 'cli.js'), '#!/bin/sh\n')
    chmodSync(join(brought, 'cli.js'), 0o755)
    writeFileSync(join(brought, 'package.json'), '{"version":"3.2.1","bin":{"claude":"./cli.js"}}')
    symlinkSync(join(brought, 'cli.js'), join(folder, 'claude'))
    writeFileSync(join(folder, 'codex'), '', { mode: 0o644 })
    writeFileSync(join(folder, 'droid'), '#!/bin/sh\n', { mode: 0o755 })
    const runtime = closing(new ProcessRuntime({ folder: join(folder, 'crews'), programs }))
    const vendor = {
      'process.claude_command': join(folder, 'claude'),
      'process.codex_command': join(folder, 'codex'),
      'process.droid_command': join(folder, 'droid'),
    }
    const it = await workplace({ runtime, config: { vendor } })
    it.app.runtime = { ...noRuntime, adapters: createInstalled(it.app, runtime) }
    const found = async () => {
      const { body } = await it.call('VIEWER', 'GET', `/adapters?crew_id=${it.crewId}`)
      return (body.adapters as Listed[])
        .filter(({ cli_adapter }) => ['CLAUDE_CODE', 'CODEX_CLI', 'FACTORY_DROID'].includes(cli_adapter))
        .map(({ installed, version }) => [installed, version])
    }
    expect(await found()).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ])
    await runtime.ensure(desiredCrew(it.app, it.crewId)!.spec, { step: () => undefined })
    expect(await found()).toEqual([
      [true, '3.2.1'],
      [false, null],
      [true, null],
    ])
    await runtime.remove(it.crewId, { data: true })
    rmSync(folder, { recursive: true, force: true })
  })
})
