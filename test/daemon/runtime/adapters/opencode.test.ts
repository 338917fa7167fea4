import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../../daemon/runtime/adapters/adapter.ts'
import { adapterOf } from '../../../../daemon/runtime/adapters/index.ts'
import { opencode } from '../../../../daemon/runtime/adapters/opencode/index.ts'
import { turn as ada } from '../../../support/turn.ts'

const turn: Turn = {
  ...ada,
  prompt: '-Build it',
  session: { id: 'chosen', resume: false, folder: '/spool/ada/run1/client' },
}
const launch = (change: Partial<Turn> = {}) => opencode.launch({ ...turn, ...change })
const config = (change: Partial<Turn> = {}) => JSON.parse(launch(change).spec.files[0]!.content.toString())
const own = '/spool/ada/run1/opencode'

describe('launch of opencode', () => {
  it('builds the whole command line; prompt, key and instructions go elsewhere', () => {
    const { argv, stdin } = launch().spec
    expect(argv).toEqual([
      'opencode',
      'run',
      '--format=json',
      '--thinking',
      '--agent=muster',
      '--title=Muster',
      '--model=anthropic/claude-opus-4-8',
    ])
    expect(stdin).toBe('-Build it')
  })

  it('keeps all that the client reads in folders of the run, and what calls or loads others off', () => {
    const { env } = launch().spec
    const set = Object.entries(env).filter(([name]) => /^(XDG|OPENCODE|TMPDIR)/.test(name))
    expect(Object.fromEntries(set)).toEqual({
      XDG_CONFIG_HOME: `${own}/config`,
      XDG_DATA_HOME: '/spool/ada/run1/client',
      XDG_STATE_HOME: `${own}/state`,
      XDG_CACHE_HOME: `${own}/cache`,
      TMPDIR: `${own}/tmp`,
      OPENCODE_TEST_HOME: `${own}/home`,
      OPENCODE_AUTH_CONTENT: '{}',
      OPENCODE_PURE: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_CLAUDE_CODE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    })
    expect(env).toMatchObject({ HOME: '/crew/agents/ada', SVC_RUN_ID: 'run1', HTTPS_PROXY: 'http://127.0.0.1:9119' })
  })

  it('configures one provider behind the sidecar, and an agent of its own', () => {
    expect(config()).toEqual({
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      snapshot: false,
      formatter: false,
      lsp: false,
      enabled_providers: ['anthropic'],
      provider: {
        anthropic: {
          npm: '@ai-sdk/anthropic',
          options: { baseURL: 'http://127.0.0.1:9119/v1', apiKey: 'dummy-key-of-ada' },
          models: { 'claude-opus-4-8': {} },
        },
      },
      default_agent: 'muster',
      agent: { muster: { mode: 'primary', prompt: 'You are Ada.', steps: 50 } },
      permission: {
        '*': 'deny',
        read: 'allow',
        glob: 'allow',
        grep: 'allow',
        bash: 'allow',
        webfetch: 'allow',
        edit: 'allow',
        external_directory: 'allow',
        doom_loop: 'allow',
      },
      experimental: { mcp_timeout: 330_000 },
      mcp: {},
    })
    expect(launch().spec.files.map(({ path }) => path)).toEqual([
      `${own}/config/opencode/opencode.json`,
      `${own}/config/opencode/package-lock.json`,
      `${own}/config/opencode/node_modules/.package-lock.json`,
    ])
  })

  it.each([
    ['MINIMAL', null, ['read', 'glob', 'grep']],
    ['FULL', null, ['read', 'glob', 'grep', 'bash', 'webfetch', 'edit']],
    ['CODING', 'bash,READ', ['read', 'bash']],
    ['CODING', 'Write,Edit', ['edit']],
    ['CODING', 'Write', []],
    ['CODING', 'Edit,WebSearch', []],
    ['MINIMAL', 'Bash,Write,Edit', []],
  ] as const)('allows with %s and %j: %j', (toolProfile, cliTools, expected) => {
    const { permission } = config({ toolProfile, cliTools })
    expect(Object.entries(permission)[0]).toEqual(['*', 'deny'])
    const always = ['*', 'external_directory', 'doom_loop']
    expect(Object.keys(permission).filter((name) => !always.includes(name))).toEqual(expected)
  })

  it.each([
    ['ANTHROPIC', 'claude-opus-4-8', 'anthropic/claude-opus-4-8', '/v1'],
    ['OPENAI', 'gpt-5', 'openai/gpt-5', '/openai/v1'],
    ['ANTHROPIC', 'gpt-5', 'openai/gpt-5', '/openai/v1'],
    ['ANTHROPIC', 'o3-mini', 'openai/o3-mini', '/openai/v1'],
    ['ANTHROPIC', 'gemini-2.5-pro', 'google/gemini-2.5-pro', '/gemini/v1beta'],
    ['OPENAI', 'sonnet', 'anthropic/sonnet', '/v1'],
    ['OPENAI', 'google/gemini-2.5-pro', 'google/gemini-2.5-pro', '/gemini/v1beta'],
    ['OPENAI', 'my-model', 'openai/my-model', '/openai/v1'],
    ['GOOGLE', 'team/my-model', 'google/team/my-model', '/gemini/v1beta'],
  ] as const)('with %s calls the model %s %s, below %s', (provider, model, expected, path) => {
    const change = { provider, model }
    const [id = '', ...rest] = expected.split('/')
    expect(launch(change).spec.argv).toContain(`--model=${expected}`)
    expect(config(change)).toMatchObject({
      enabled_providers: [id],
      provider: {
        [id]: {
          npm: `@ai-sdk/${id}`,
          options: { baseURL: `http://127.0.0.1:9119${path}` },
          models: { [rest.join('/')]: {} },
        },
      },
    })
  })

  it('leaves the choice of a model to the client where none is named', () => {
    expect(launch({ model: null }).spec.argv.join(' ')).not.toContain('--model')
    expect(config({ model: null, provider: 'GOOGLE' })).toMatchObject({ enabled_providers: ['google'] })
    expect(config({ model: null }).provider.anthropic).not.toHaveProperty('models')
  })

  it('does not work with providers that it has no place for', () =>
    expect(() => launch({ provider: 'OLLAMA', model: 'llama' })).toThrow('not set up for models of OLLAMA'))

  it('goes on with a session where it lies, and keeps none unasked', () => {
    const session = { id: 'ses_e06cf66d4ffeXYDoLaKtc04wQx', resume: true, folder: '/spool/ada/run0/client' }
    const resumed = launch({ session }).spec
    expect(resumed.argv.at(-1)).toBe('--session=ses_e06cf66d4ffeXYDoLaKtc04wQx')
    expect(resumed.env['XDG_DATA_HOME']).toBe('/spool/ada/run0/client')
    expect(resumed.files.every(({ path }) => path.startsWith(`${own}/`))).toBe(true)
    expect(launch({ session: null }).spec.env['XDG_DATA_HOME']).toBe(`${own}/data`)
  })

  it('takes as the id of a session only what looks like one', () => {
    const fits = (id: string) => opencode.namesSessions!.test(id)
    expect(fits('ses_e06cf66d4ffeXYDoLaKtc04wQx')).toBe(true)
    for (const id of ['ses_', 'ses_e06cf66d4ffeXYDoLaKtc04wQ', '--fork', 'x ses_e06cf66d4ffeXYDoLaKtc04wQx', ''])
      expect(fits(id)).toBe(false)
    expect(fits('ses_e06cf66d4ffeXYDoLaKtc04wQx\n')).toBe(false)
  })

  it('writes tool servers as the client reads them, with the variables that it would not expand', () => {
    const mcpServers = {
      'git hub': {
        command: 'git-mcp',
        args: ['--as', '$SVC_AGENT_ID'],
        env: { TOKEN: '$GIT_TOKEN', OTHER: '$UNKNOWN' },
      },
      docs: { type: 'http', url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer $GIT_TOKEN' } },
    }
    const change = {
      mcpConfigs: [JSON.stringify({ mcpServers })],
      env: { GIT_TOKEN: 'token-of-ada' },
      toolProfile: 'MINIMAL' as const,
    }
    const { mcp, permission } = config(change)
    expect(mcp).toEqual({
      'git hub': {
        type: 'local',
        command: ['git-mcp', '--as', 'agent1'],
        environment: { TOKEN: 'token-of-ada', OTHER: `$\{UNKNOWN}` },
      },
      docs: {
        type: 'remote',
        url: 'https://docs.example.com/mcp',
        headers: { Authorization: 'Bearer token-of-ada' },
        oauth: false,
      },
    })
    expect(permission).toMatchObject({ 'git_hub_*': 'allow', 'docs_*': 'allow' })
    expect(launch(change).mcpServers).toEqual(['git hub', 'docs'])
    expect(launch(change).spec.argv.join(' ')).not.toContain('token-of-ada')
  })

  it('has no file and no variable put in place of what a person wrote', () => {
    const systemPrompt = 'Say {env:HOME}, {file:/etc/passwd} and \\{file:x} {all}'
    const [file] = launch({ systemPrompt }).spec.files
    expect(file!.content).not.toMatch(/\{(?:env|file):/)
    expect(config({ systemPrompt }).agent.muster.prompt).toBe(systemPrompt)
  })

  it("does not let the agent's variables bring another key, place or setting", () => {
    const { env } = launch({
      env: {
        ANTHROPIC_API_KEY: 'x',
        GOOGLE_GENERATIVE_AI_API_KEY: 'x',
        OPENCODE_CONFIG: '/x',
        OPENCODE_PERMISSION: '{}',
        OPENCODE_PURE: '0',
        XDG_CONFIG_HOME: '/x',
        MINE: 'kept',
      },
    }).spec
    for (const name of ['ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENCODE_CONFIG', 'OPENCODE_PERMISSION'])
      expect(env).not.toHaveProperty(name)
    expect(env).toMatchObject({ OPENCODE_PURE: '1', XDG_CONFIG_HOME: `${own}/config`, MINE: 'kept' })
  })

  it('uses the real key where there is no sidecar', () => {
    const access = { via: 'direct', kind: 'api_key', token: 'the-real-one', baseUrl: null } as const
    const options = (change: Partial<Turn>) => config({ access, ...change }).provider
    expect(options({})).toMatchObject({
      anthropic: { options: { apiKey: 'the-real-one', baseURL: 'https://api.anthropic.com/v1' } },
    })
    expect(
      options({ provider: 'OPENAI', model: null, access: { ...access, baseUrl: 'http://127.0.0.1:1' } }),
    ).toMatchObject({ openai: { options: { baseURL: 'http://127.0.0.1:1/v1' } } })
  })

  it('is found by its name', () => expect(adapterOf('OPENCODE')).toBe(opencode))
})

describe('what opencode says on standard error', () => {
  it.each([
    ['\u001b[91m\u001b[1mError: \u001b[0mSession not found', 'resume_missing'],
    ['Error: Configuration is invalid at /x/opencode.json', 'bad_config'],
    ['\u001b[93m! permission requested: bash; auto-rejecting', undefined],
    ['', undefined],
  ])('%j: %s', (stderr, kind) => expect(opencode.stderrFailure(stderr)?.kind).toBe(kind))
})
