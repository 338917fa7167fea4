import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../../daemon/runtime/adapters/adapter.ts'
import { codex } from '../../../../daemon/runtime/adapters/codex/index.ts'
import { adapterOf } from '../../../../daemon/runtime/adapters/index.ts'
import { turn as ada } from '../../../support/turn.ts'

const turn: Turn = {
  ...ada,
  model: 'gpt-5.1-codex',
  systemPrompt: 'You are Ada.\n"Quoted" \u007f',
  prompt: '-Build it',
  session: { id: 'chosen', resume: false, folder: '/spool/ada/run1/client' },
}
const launch = (change: Partial<Turn> = {}) => codex.launch({ ...turn, ...change })
const config = (change: Partial<Turn> = {}) => {
  const [file] = launch(change).spec.files
  return { path: file!.path, ...parse(file!.content.toString()) }
}

describe('launch of codex', () => {
  it('builds the whole command line; prompt, key and instructions go elsewhere', () => {
    const { argv, stdin, env } = launch().spec
    expect(argv).toEqual([
      'codex',
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '--ignore-rules',
      '--dangerously-bypass-hook-trust',
      '-',
    ])
    expect(stdin).toBe('-Build it')
    expect(env).toMatchObject({
      HOME: '/crew/agents/ada',
      CODEX_HOME: '/spool/ada/run1/client',
      MUSTER_MODEL_KEY: 'dummy-key-of-ada',
      HTTPS_PROXY: 'http://127.0.0.1:9119',
      SVC_RUN_ID: 'run1',
    })
  })

  it('configures a model service behind the sidecar, and nothing that calls home', () => {
    expect(config()).toEqual({
      path: '/spool/ada/run1/client/config.toml',
      model: 'gpt-5.1-codex',
      model_provider: 'muster',
      check_for_update_on_startup: false,
      web_search: 'live',
      developer_instructions: 'You are Ada.\n"Quoted" \u007f',
      analytics: { enabled: false },
      history: { persistence: 'none' },
      hooks: {
        PostToolUse: [{ hooks: [{ type: 'command', command: expect.stringContaining('/hook'), timeout: 10 }] }],
      },
      features: { apps: false, browser_use: false, computer_use: false, goals: false, image_generation: false },
      model_providers: {
        muster: {
          name: 'muster',
          base_url: 'http://127.0.0.1:9119/openai/v1',
          env_key: 'MUSTER_MODEL_KEY',
          wire_api: 'responses',
          request_max_retries: 5,
          stream_max_retries: 5,
        },
      },
      mcp_servers: {},
    })
    expect(config({ model: null })).not.toHaveProperty('model')
  })

  it.each([
    ['CODING', null, 'live'],
    ['FULL', 'bash,websearch', 'live'],
    ['CODING', 'Bash,Read', 'disabled'],
  ] as const)('searches the web with %s and %j: %s', (toolProfile, cliTools, expected) =>
    expect(config({ toolProfile, cliTools })).toMatchObject({ web_search: expected }),
  )

  it('goes on with a session where it lies, and keeps none unasked', () => {
    const resumed = launch({ session: { id: 't1', resume: true, folder: '/spool/ada/run0/client' } }).spec
    expect(resumed.argv.slice(-3)).toEqual(['resume', 't1', '-'])
    expect(resumed.env['CODEX_HOME']).toBe('/spool/ada/run0/client')
    expect(resumed.files.map(({ path }) => path)).toEqual(
      ['config.toml', 'hooks.json'].map((name) => `/spool/ada/run0/client/${name}`),
    )
    const none = launch({ session: null }).spec
    expect(none.argv).toContain('--ephemeral')
    expect(none.env['CODEX_HOME']).toBe('/spool/ada/run1/client')
  })

  it('writes tool servers as the client reads them, with the variables that it would not expand', () => {
    const mcpServers = {
      git: { command: 'git-mcp', args: ['--as', '$SVC_AGENT_ID'], env: { TOKEN: '$GIT_TOKEN', OTHER: '$UNKNOWN' } },
      docs: { type: 'http', url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer $GIT_TOKEN' } },
      old: { type: 'sse', url: 'https://old.example.com/sse' },
    }
    const change = { mcpConfigs: [JSON.stringify({ mcpServers })], env: { GIT_TOKEN: 'token-of-ada' } }
    expect(config(change)).toMatchObject({
      mcp_servers: {
        git: { command: 'git-mcp', args: ['--as', 'agent1'], env: { TOKEN: 'token-of-ada', OTHER: `$\{UNKNOWN}` } },
        docs: {
          url: 'https://docs.example.com/mcp',
          http_headers: { Authorization: 'Bearer token-of-ada' },
          startup_timeout_sec: 30,
          tool_timeout_sec: 330,
        },
      },
    })
    expect(config(change)).not.toHaveProperty('mcp_servers.old')
    expect(launch(change).mcpServers).toEqual(['git', 'docs', 'old'])
    expect(launch(change).spec.argv.join(' ')).not.toContain('token-of-ada')
  })

  it("does not let the agent's variables bring another key or place", () => {
    const { env } = launch({
      env: { OPENAI_API_KEY: 'x', CODEX_API_KEY: 'y', CODEX_HOME: '/z', MUSTER_MODEL_KEY: 'm' },
    }).spec
    expect(env).not.toHaveProperty('OPENAI_API_KEY')
    expect(env).not.toHaveProperty('CODEX_API_KEY')
    expect(env).toMatchObject({ CODEX_HOME: '/spool/ada/run1/client', MUSTER_MODEL_KEY: 'dummy-key-of-ada' })
  })

  it('uses the real key where there is no sidecar', () => {
    const direct = {
      proxy: null,
      access: { via: 'direct', kind: 'api_key', token: 'the-real-one', baseUrl: null },
    } as const
    expect(launch(direct).spec.env).toMatchObject({ MUSTER_MODEL_KEY: 'the-real-one' })
    expect(config(direct)).toMatchObject({ model_providers: { muster: { base_url: 'https://api.openai.com/v1' } } })
  })

  it('is found by its name', () => expect(adapterOf('CODEX_CLI')).toBe(codex))
})

describe('what codex says on standard error', () => {
  it.each([
    ['Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)', 'resume_missing'],
    ['Error loading config.toml: invalid type', 'bad_config'],
    ['WARNING: proceeding\nReading additional input from stdin...', undefined],
    ['', undefined],
  ])('%j: %s', (stderr, kind) => expect(codex.stderrFailure(stderr)?.kind).toBe(kind))
})
