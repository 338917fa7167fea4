import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../../daemon/runtime/adapters/adapter.ts'
import { gemini } from '../../../../daemon/runtime/adapters/gemini/index.ts'
import { adapterOf } from '../../../../daemon/runtime/adapters/index.ts'
import { turn as ada } from '../../../support/turn.ts'

const turn: Turn = {
  ...ada,
  provider: 'GOOGLE',
  model: 'gemini-2.5-flash',
  systemPrompt: 'You are Ada.',
  prompt: '-Build it',
  session: { id: 'chosen', resume: false, folder: '/spool/ada/run1/client' },
}
const launch = (change: Partial<Turn> = {}) => gemini.launch({ ...turn, ...change })
const settings = (change: Partial<Turn> = {}) => JSON.parse(launch(change).spec.files[1]!.content.toString())

describe('launch of gemini', () => {
  it('builds the whole command line; prompt, key and instructions go elsewhere', () => {
    const { argv, stdin, env, files } = launch().spec
    expect(argv).toEqual([
      'gemini',
      '--output-format=stream-json',
      '--skip-trust',
      '--extensions=none',
      '--approval-mode=yolo',
      '--model=gemini-2.5-flash',
      '--session-id=chosen',
    ])
    expect(stdin).toBe('-Build it')
    expect(files.map(({ path }) => path)).toEqual([
      '/spool/ada/run1/system-prompt',
      '/spool/ada/run1/client/.gemini/settings.json',
    ])
    expect(files[0]?.content).toBe('You are Ada.')
    expect(env).toMatchObject({
      HOME: '/crew/agents/ada',
      GEMINI_CLI_HOME: '/spool/ada/run1/client',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_SYSTEM_MD: '/spool/ada/run1/system-prompt',
      TMPDIR: '/spool/ada/run1',
      GEMINI_API_KEY: 'dummy-key-of-ada',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9119/gemini',
      HTTPS_PROXY: 'http://127.0.0.1:9119',
      SVC_RUN_ID: 'run1',
    })
  })

  it('settles all that the client would decide by itself, and nothing calls home', () => {
    expect(settings({ toolProfile: 'MINIMAL' })).toEqual({
      advanced: { ignoreLocalEnv: true },
      context: {
        fileFiltering: { enableRecursiveFileSearch: false },
        includeDirectories: ['/workspace/ada', '/crew/shared'],
        memoryBoundaryMarkers: [],
      },
      experimental: { enableAgents: false },
      general: {
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        maxAttempts: 4,
        plan: { enabled: false },
        sessionRetention: { enabled: false },
        topicUpdateNarration: false,
      },
      hooksConfig: { enabled: true, notifications: false },
      hooks: {
        AfterTool: [
          { matcher: '*', hooks: [{ type: 'command', command: expect.stringContaining('/hook'), timeout: 10_000 }] },
        ],
      },
      mcpServers: {},
      model: { disableLoopDetection: true, maxSessionTurns: 50 },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: 'gemini-api-key', useExternal: true } },
      skills: { enabled: false },
      telemetry: { enabled: false },
      tools: {
        core: ['read_file', 'list_directory', 'glob', 'grep_search', 'mcp_*'],
        sandbox: false,
        shell: { enableInteractiveShell: false, inactivityTimeout: 0 },
        useRipgrep: false,
      },
      ui: { showCompatibilityWarnings: false },
    })
  })

  it.each([
    [5, 4],
    [1, 2],
    [0, 1],
  ])('lets the client ask again %i times at most with %i attempts', (retries, maxAttempts) =>
    expect(settings({ retries })).toMatchObject({ general: { maxAttempts } }),
  )

  it.each([
    ['MINIMAL', null, 'default', ['read_file', 'list_directory', 'glob', 'grep_search', 'mcp_*']],
    ['MINIMAL', 'Bash,Read', 'default', ['read_file', 'list_directory', 'mcp_*']],
    ['CODING', 'write, EDIT', 'default', ['write_file', 'replace', 'mcp_*']],
    ['CODING', 'Bash', 'yolo', ['run_shell_command', 'list_background_processes', 'read_background_output', 'mcp_*']],
    ['FULL', 'WebFetch,WebSearch,NotebookEdit', 'default', ['web_fetch', 'google_web_search', 'mcp_*']],
    ['FULL', 'ToolSearch', 'default', ['mcp_*']],
  ] as const)('gives for %s and %j, approved by %s, %j', (toolProfile, cliTools, mode, core) => {
    expect(settings({ toolProfile, cliTools })).toMatchObject({ tools: { core } })
    expect(launch({ toolProfile, cliTools }).spec.argv).toContain(`--approval-mode=${mode}`)
  })

  it.each([
    [{}, 50],
    [{ unattended: true }, 20],
    [{ unattended: true, maxTurns: 7 }, 7],
  ])('caps the turns of %j at %i', (change, maxSessionTurns) =>
    expect(settings(change)).toMatchObject({ model: { maxSessionTurns } }),
  )

  it('goes on with a session where it lies, and keeps one of no chat in the folder of the run', () => {
    const resumed = launch({ session: { id: 't1', resume: true, folder: '/spool/ada/run0/client' } }).spec
    expect(resumed.argv.at(-1)).toBe('--resume=t1')
    expect(resumed.env['GEMINI_CLI_HOME']).toBe('/spool/ada/run0/client')
    expect(resumed.files[1]?.path).toBe('/spool/ada/run0/client/.gemini/settings.json')
    const none = launch({ session: null, model: null }).spec
    expect(none.argv.at(-1)).toBe('--approval-mode=yolo')
    expect(none.env['GEMINI_CLI_HOME']).toBe('/spool/ada/run1/client')
  })

  it('writes tool servers as the client reads them, and leaves variables to it', () => {
    const mcpServers = {
      git: { command: 'git-mcp', args: ['--as', '$SVC_AGENT_ID'], env: { TOKEN: '$GIT_TOKEN' } },
      docs: { type: 'http', url: 'https://docs.example.com/mcp', headers: { Authorization: 'Bearer $GIT_TOKEN' } },
      old: { type: 'sse', url: 'https://old.example.com/sse' },
    }
    const change = { mcpConfigs: [JSON.stringify({ mcpServers })], env: { GIT_TOKEN: 'token-of-ada' } }
    expect(settings(change).mcpServers).toEqual({
      git: { command: 'git-mcp', args: ['--as', `$\{SVC_AGENT_ID}`], env: { TOKEN: `$\{GIT_TOKEN}` } },
      docs: { httpUrl: 'https://docs.example.com/mcp', headers: { Authorization: `Bearer $\{GIT_TOKEN}` } },
      old: { url: 'https://old.example.com/sse', headers: {} },
    })
    expect(launch(change).mcpServers).toEqual(['git', 'docs', 'old'])
    expect(JSON.stringify(launch(change).spec.files)).not.toContain('token-of-ada')
  })

  it('does not take a message for a command of the client', () => {
    expect(launch({ prompt: '/clear' }).spec.stdin).toBe('\n/clear')
    expect(launch({ prompt: 'Say /clear' }).spec.stdin).toBe('Say /clear')
  })

  it("does not let the agent's variables bring another key or place, or trust", () => {
    const { env } = launch({
      env: {
        GOOGLE_API_KEY: 'x',
        GEMINI_API_KEY: 'y',
        GEMINI_CLI_HOME: '/z',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        GOOGLE_GENAI_USE_VERTEXAI: 'true',
        GOOGLE_CLOUD_PROJECT: 'kept',
      },
    }).spec
    expect(env).toMatchObject({ GEMINI_API_KEY: 'dummy-key-of-ada', GOOGLE_CLOUD_PROJECT: 'kept' })
    expect(env).toMatchObject({ GEMINI_CLI_HOME: '/spool/ada/run1/client' })
    for (const name of ['GOOGLE_API_KEY', 'GEMINI_CLI_TRUST_WORKSPACE', 'GOOGLE_GENAI_USE_VERTEXAI'])
      expect(env).not.toHaveProperty(name)
  })

  it('uses the real key where there is no sidecar', () => {
    const direct = { via: 'direct', kind: 'api_key', token: 'the-real-one', baseUrl: null } as const
    const { env } = launch({ proxy: null, access: direct }).spec
    expect(env['GEMINI_API_KEY']).toBe('the-real-one')
    expect(env).not.toHaveProperty('GOOGLE_GEMINI_BASE_URL')
    const at = launch({ access: { ...direct, baseUrl: 'https://models.example.com' } }).spec.env
    expect(at['GOOGLE_GEMINI_BASE_URL']).toBe('https://models.example.com')
  })

  it('is found by its name', () => expect(adapterOf('GEMINI_CLI')).toBe(gemini))
})

describe('what gemini says on standard error', () => {
  it.each([
    ['Error resuming session: Invalid session identifier "9".\n  Searched for sessions in /x.', 'resume_missing'],
    ['Error resuming session: No previous sessions found for this project.', 'resume_missing'],
    ['Error starting session: Session ID "x" already exists.', 'bad_config'],
    ['Error in /spool/ada/run1/client/.gemini/settings.json: Unexpected token', 'bad_config'],
    ['Warning: 256-color support not detected.\nRipgrep is not available.', undefined],
    ['', undefined],
  ])('%j: %s', (stderr, kind) => expect(gemini.stderrFailure(stderr)?.kind).toBe(kind))
})
