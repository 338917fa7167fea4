import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../../daemon/runtime/adapters/adapter.ts'
import { droid } from '../../../../daemon/runtime/adapters/droid/index.ts'
import { adapterOf } from '../../../../daemon/runtime/adapters/index.ts'
import { turn as ada } from '../../../support/turn.ts'

const turn: Turn = { ...ada, session: { id: 'chosen', resume: false, folder: '/spool/ada/session/client' } }
const launch = (change: Partial<Turn> = {}) => droid.launch({ ...turn, ...change })
const file = (path: string, change: Partial<Turn> = {}) =>
  JSON.parse(
    launch(change)
      .spec.files.find((it) => it.path === path)!
      .content.toString(),
  )
const settings = (change: Partial<Turn> = {}) => file('/spool/ada/run1/settings.json', change)
const onlyTools = (change: Partial<Turn> = {}) =>
  launch(change)
    .spec.argv.find((it) => it.startsWith('--only-tools='))!
    .slice('--only-tools='.length)

describe('launch of droid', () => {
  it('builds the whole command line; prompt, key and instructions go elsewhere', () => {
    const { argv, stdin } = launch().spec
    expect(argv).toEqual([
      'droid',
      'exec',
      '--output-format=stream-json',
      '--model=custom:Muster-0',
      '--skip-permissions-unsafe',
      '--only-tools=Read,LS,Glob,Grep,ToolSearch,Create,Edit,ApplyPatch,Execute',
      '--disable-builtin-skills',
      '--append-system-prompt-file=/spool/ada/run1/system-prompt',
    ])
    expect(stdin).toBe('Build it')
  })

  it('keeps what the client writes beside the session, and its vendor out', () => {
    const { env } = launch().spec
    const set = Object.entries(env).filter(([name]) => name.startsWith('FACTORY'))
    expect(Object.fromEntries(set)).toEqual({
      FACTORY_API_BASE_URL: 'http://127.0.0.1:9',
      FACTORY_TELEMETRY_INGEST_BASE_URL: 'http://127.0.0.1:9',
      FACTORY_HOME_OVERRIDE: '/spool/ada/session/client',
      FACTORY_ORG_MANAGED_SETTINGS_LOCAL_PATH: '/spool/ada/run1/settings.json',
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
      FACTORY_DISABLE_KEYRING: '1',
      FACTORY_DISABLE_DYNAMIC_CONFIG: 'true',
    })
    expect(env).toMatchObject({ HOME: '/crew/agents/ada', SVC_RUN_ID: 'run1', HTTPS_PROXY: 'http://127.0.0.1:9119' })
    expect(launch({ session: null }).spec.env['FACTORY_HOME_OVERRIDE']).toBe('/spool/ada/run1/client')
  })

  it('configures one model behind the sidecar, above all other settings', () => {
    expect(settings()).toEqual({
      customModels: [
        {
          model: 'claude-opus-4-8',
          displayName: 'Muster',
          provider: 'anthropic',
          baseUrl: 'http://127.0.0.1:9119',
          apiKey: 'dummy-key-of-ada',
        },
      ],
      allowManagedHooksOnly: true,
      hooks: {
        PostToolUse: [
          { matcher: '*', hooks: [{ type: 'command', command: expect.stringContaining('/hook'), timeout: 10 }] },
        ],
      },
      cloudSessionSync: false,
      enabledPlugins: {},
      strictEnabledPlugins: true,
      imageGenerationEnabled: false,
      includeCoAuthoredByDroid: false,
      telemetry: { enabled: false },
      webSearchDisabled: true,
    })
    expect(file('/spool/ada/session/client/.factory/settings.json')).toEqual({})
  })

  it.each([
    ['ANTHROPIC', 'claude-opus-4-8', 'anthropic', 'claude-opus-4-8', ''],
    ['ANTHROPIC', 'gpt-5', 'openai', 'gpt-5', '/openai/v1'],
    ['OPENAI', 'anthropic/my-model', 'anthropic', 'my-model', ''],
    ['OPENAI', 'my-model', 'openai', 'my-model', '/openai/v1'],
  ] as const)('with %s calls the model %s by %s as %s', (provider, model, wire, name, path) => {
    const baseUrl = `http://127.0.0.1:9119${path}`
    expect(settings({ provider, model }).customModels).toMatchObject([{ model: name, provider: wire, baseUrl }])
  })

  it.each([{ model: null }, { model: 'llama', provider: 'OLLAMA' }, { model: 'gemini-2.5-pro' }] as const)(
    'does not start with %j',
    (change) => expect(() => launch(change)).toThrow('needs the name of a model'),
  )

  it.each([
    ['MINIMAL', null, 'Read,LS,Glob,Grep,ToolSearch'],
    ['FULL', null, 'Read,LS,Glob,Grep,ToolSearch,Create,Edit,ApplyPatch,Execute'],
    ['CODING', 'bash,READ', 'Read,LS,Execute'],
    ['CODING', 'Bash,WebFetch,WebSearch', 'Execute'],
    ['CODING', 'Bash,Write', 'Create,Execute'],
  ] as const)('gives with %s and %j: %s', (toolProfile, cliTools, expected) =>
    expect(onlyTools({ toolProfile, cliTools })).toBe(expected),
  )

  it('goes on with a copy of its session', () => {
    const id = '3409565a-da88-4594-92ec-f887547ffbff'
    const { argv } = launch({ session: { id, resume: true, folder: '/spool/ada/session/client' } }).spec
    expect(argv.at(-1)).toBe(`--fork=${id}`)
  })

  it('takes as the id of a session only what looks like one', () => {
    const fits = (id: string) => droid.namesSessions!.test(id)
    expect(fits('3409565a-da88-4594-92ec-f887547ffbff')).toBe(true)
    for (const id of [
      '',
      '--help',
      '../3409565a-da88-4594-92ec-f887547ffbff',
      '3409565a-da88-4594-92ec-f887547ffbff\n',
    ])
      expect(fits(id)).toBe(false)
  })

  it('writes tool servers as the client reads them, with the variables that it would not expand', () => {
    const mcpServers = {
      'git, hub': { command: 'git-mcp', args: ['--as', '$SVC_AGENT_ID'], env: { TOKEN: '$GIT_TOKEN' } },
      docs: { type: 'http', url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer $GIT_TOKEN' } },
      news: { type: 'sse', url: 'https://news.example.com/sse' },
    }
    const change = {
      mcpConfigs: [JSON.stringify({ mcpServers })],
      env: { GIT_TOKEN: 'token-of-ada' },
      cliTools: 'Bash',
    }
    expect(file('/spool/ada/session/client/.factory/mcp.json', change).mcpServers).toEqual({
      git_hub: { type: 'stdio', command: 'git-mcp', args: ['--as', 'agent1'], env: { TOKEN: 'token-of-ada' } },
      docs: { type: 'http', url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer token-of-ada' } },
      news: { type: 'sse', url: 'https://news.example.com/sse', headers: {} },
    })
    expect(onlyTools(change)).toBe('Execute,MCP:git_hub,MCP:docs,MCP:news')
    expect(launch(change).mcpServers).toEqual(['git, hub', 'docs', 'news'])
    expect(launch(change).spec.argv.join(' ')).not.toContain('token-of-ada')
  })

  it.each([
    ['/review it', '\u200b/review it'],
    ['\n /review', '\u200b\n /review'],
    ['see /tmp/x', 'see /tmp/x'],
  ])('has no message taken for a command: %j', (prompt, expected) =>
    expect(launch({ prompt }).spec.stdin).toBe(expected),
  )

  it("does not let the agent's variables bring another place or setting", () => {
    const { env } = launch({
      env: { FACTORY_API_KEY: 'x', FACTORY_RIPGREP_PATH: '/x', DROID_SANDBOXED: '1', MINE: 'kept' },
    }).spec
    for (const name of ['FACTORY_API_KEY', 'FACTORY_RIPGREP_PATH', 'DROID_SANDBOXED'])
      expect(env).not.toHaveProperty(name)
    expect(env).toMatchObject({ MINE: 'kept' })
  })

  it('uses the real key where there is no sidecar', () => {
    const access = { via: 'direct', kind: 'api_key', token: 'the-real-one', baseUrl: null } as const
    expect(settings({ access }).customModels).toMatchObject([
      { apiKey: 'the-real-one', baseUrl: 'https://api.anthropic.com' },
    ])
    expect(
      settings({ access: { ...access, baseUrl: 'http://127.0.0.1:1' }, model: 'gpt-5' }).customModels,
    ).toMatchObject([{ baseUrl: 'http://127.0.0.1:1/v1' }])
  })

  it('is found by its name', () => expect(adapterOf('FACTORY_DROID')).toBe(droid))
})

describe('what droid says on standard error', () => {
  it.each([
    ['Invalid model: custom:Nope-9\n\nAvailable built-in models:', 'unknown_model'],
    ['Unknown tool identifier(s)', 'bad_config'],
    ['something else', undefined],
    ['', undefined],
  ])('%j: %s', (stderr, kind) => expect(droid.stderrFailure(stderr)?.kind).toBe(kind))

  it.each([
    ['a session that went on', '', { code: 1, resumed: true, began: false }, 'resume_missing'],
    ['a new session', '', { code: 1, resumed: false, began: false }, undefined],
    ['a session that had begun', '', { code: 1, resumed: true, began: true }, undefined],
    ['a program that was ended', '', { code: null, resumed: true, began: false }, undefined],
    ['a program that said something', 'Oops', { code: 1, resumed: true, began: false }, undefined],
  ] as const)('nothing at all, of %s', (_, stderr, seen, kind) =>
    expect(droid.stderrFailure(stderr, seen)?.kind).toBe(kind),
  )
})
