import { describe, expect, it } from 'vitest'
import type { Ending, Facts, Turn } from '../../../../daemon/runtime/adapters/adapter.ts'
import { claudeCode } from '../../../../daemon/runtime/adapters/claude-code/index.ts'
import { adapterOf } from '../../../../daemon/runtime/adapters/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { errorFrame, judge } from '../../../../daemon/runtime/adapters/verdict.ts'
import { turn } from '../../../support/turn.ts'

const fresh = { mcpServers: [], model: null, used: null }
/** A reference as the client expands it. */
const ref = (name: string) => `$\{${name}}`
const launch = (change: Partial<Turn> = {}) => claudeCode.launch({ ...turn, ...change })
const flag = (name: string, change: Partial<Turn> = {}) =>
  launch(change)
    .spec.argv.find((argument) => argument.startsWith(`--${name}=`))
    ?.slice(name.length + 3)

describe('launch of claude', () => {
  it('builds the whole command line, environment and files', () => {
    expect(launch().spec).toEqual({
      argv: [
        'claude',
        '--print',
        '--output-format=stream-json',
        '--include-partial-messages',
        '--dangerously-skip-permissions',
        '--verbose',
        '--setting-sources=',
        '--strict-mcp-config',
        '--no-session-persistence',
        '--model=claude-opus-4-8',
        '--system-prompt-file=/spool/ada/run1/system-prompt',
        '--tools=Read,Glob,Grep,ToolSearch,Write,Edit,Bash,WebFetch,WebSearch',
        '--max-turns=50',
        expect.stringMatching(/^--settings=/),
      ],
      env: {
        HOME: '/crew/agents/ada',
        SVC_AGENT_ID: 'agent1',
        SVC_AGENT_TOKEN: 'dummy-key-of-ada',
        SVC_SIDECAR_URL: 'http://127.0.0.1:9119',
        SVC_CREW_ID: 'crew1',
        SVC_CHAT_ID: 'chat1',
        SVC_RUN_ID: 'run1',
        SVC_CREW_SHARED: '/crew/shared',
        HTTP_PROXY: 'http://127.0.0.1:9119',
        HTTPS_PROXY: 'http://127.0.0.1:9119',
        http_proxy: 'http://127.0.0.1:9119',
        https_proxy: 'http://127.0.0.1:9119',
        NO_PROXY: '127.0.0.1,localhost,::1',
        no_proxy: '127.0.0.1,localhost,::1',
        CLAUDE_CODE_MAX_RETRIES: '5',
        CLAUDE_CODE_DISABLE_AUTOUPDATE: '1',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        ANTHROPIC_API_KEY: 'dummy-key-of-ada',
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:9119',
      },
      files: [{ path: '/spool/ada/run1/system-prompt', content: 'You are Ada.' }],
      stdin: 'Build it',
    })
  })

  it('sets its hook on the command line, where no agent changes it, with the key in a variable', () => {
    const settings = (change = {}) => JSON.parse(flag('settings', change) ?? '{}')
    const hook = {
      type: 'http',
      url: 'http://127.0.0.1:9119/hook',
      headers: {
        authorization: 'Bearer $SVC_AGENT_TOKEN',
        'x-svc-run-id': '$SVC_RUN_ID',
        'x-hook-event': 'PostToolBatch',
      },
      allowedEnvVars: ['SVC_AGENT_TOKEN', 'SVC_RUN_ID'],
      timeout: 10,
    }
    expect(settings()).toEqual({ skipWebFetchPreflight: true, hooks: { PostToolBatch: [{ hooks: [hook] }] } })
    expect(settings({ toolProfile: 'MINIMAL' }).hooks.PostToolBatch).toHaveLength(1)
    expect(settings({ proxy: null, access: { via: 'direct', kind: 'api_key', token: 't', baseUrl: null } })).toEqual({})
  })

  it('keeps prompts, keys and tool servers out of the command line', () => {
    const config = JSON.stringify({
      mcpServers: { git: { command: 'git-mcp', env: { TOKEN: 'token-of-the-server' } } },
    })
    const { spec } = launch({ mcpConfigs: [config], prompt: 'p'.repeat(300_000) })
    expect(spec.argv.join(' ')).not.toMatch(/dummy-key|You are Ada|ppp|token-of/)
    expect(spec.argv.join(' ').length).toBeLessThan(1000)
  })

  it.each<[Turn['toolProfile'], string | null, string]>([
    ['MINIMAL', null, 'Read,Glob,Grep,ToolSearch'],
    ['CODING', '', 'Read,Glob,Grep,ToolSearch,Write,Edit,Bash,WebFetch,WebSearch'],
    ['FULL', null, 'Read,Glob,Grep,ToolSearch,Write,Edit,Bash,WebFetch,WebSearch,NotebookEdit'],
    ['CODING', ' bash, Read ,Nope', 'Read,Bash'],
    ['MINIMAL', 'Bash,Read', 'Read'],
    ['MINIMAL', 'Bash', ''],
  ])('tools of %s narrowed by %j', (toolProfile, cliTools, expected) =>
    expect(flag('tools', { toolProfile, cliTools })).toBe(expected),
  )

  it.each([
    [0, false, '50'],
    [0, true, '20'],
    [7, false, '7'],
    [7, true, '7'],
  ])('turn cap for %i, unattended %s', (maxTurns, unattended, expected) =>
    expect(flag('max-turns', { maxTurns, unattended })).toBe(expected),
  )

  it.each([
    ['MINIMAL', null, '1'],
    ['CODING', 'Read,Write', '1'],
    ['CODING', 'Read,Bash', undefined],
    ['FULL', null, undefined],
  ] as const)('with %s and %j is kept from git: %j', (toolProfile, cliTools, expected) =>
    expect(launch({ toolProfile, cliTools }).spec.env['CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS']).toBe(expected),
  )

  it('leaves the choice of the model to the client', () => expect(flag('model', { model: null })).toBeUndefined())

  it('keeps, then goes on with, a session of the client', () => {
    const id = '11111111-2222-4333-8444-555555555555'
    expect(launch({ session: { id, resume: false, folder: '/run/client' } }).spec.argv).toContain(`--session-id=${id}`)
    const { argv } = launch({ session: { id, resume: true, folder: '/run/client' } }).spec
    expect(argv).toContain(`--resume=${id}`)
    expect(argv).not.toContain('--no-session-persistence')
  })

  it('merges tool servers: the last of a name wins, references are spelled as the client wants them', () => {
    const crew = {
      mcpServers: {
        a: { command: 'crew-a' },
        b: { type: 'http', url: 'https://$HOST/mcp', headers: { Authorization: 'Bearer $TOKEN' } },
      },
    }
    const agent = { mcpServers: { a: { command: 'agent-a', args: ['$HOME/x', ref('KEPT')] } } }
    const { spec, mcpServers } = launch({ mcpConfigs: [JSON.stringify(crew), '', JSON.stringify(agent)] })
    expect(spec.env).toMatchObject({ MCP_CONNECTION_NONBLOCKING: '0', MCP_CONNECT_TIMEOUT_MS: '30000' })
    const file = spec.files.find(({ path }) => path.endsWith('/mcp.json'))
    expect(spec.argv).toContain(`--mcp-config=${file!.path}`)
    expect(mcpServers).toEqual(['a', 'b'])
    expect(JSON.parse(file!.content.toString())).toEqual({
      mcpServers: {
        a: { command: 'agent-a', args: [`${ref('HOME')}/x`, ref('KEPT')] },
        b: { type: 'http', url: `https://${ref('HOST')}/mcp`, headers: { Authorization: `Bearer ${ref('TOKEN')}` } },
      },
    })
  })

  it('defuses a message that the client would take for a command of its own', () => {
    expect(launch({ prompt: '/clear' }).spec.stdin).toBe('\n/clear')
  })

  it("does not let the agent's variables override those of Muster, nor bring another key", () => {
    const { env } = launch({
      env: {
        HOME: '/root',
        SVC_AGENT_ID: 'x',
        ANTHROPIC_AUTH_TOKEN: 'y',
        CLAUDE_CODE_OAUTH_TOKEN: 'z',
        GH_TOKEN: 'mine',
      },
    }).spec
    expect(env).toMatchObject({ HOME: '/crew/agents/ada', SVC_AGENT_ID: 'agent1', GH_TOKEN: 'mine' })
    expect(env).not.toHaveProperty('ANTHROPIC_AUTH_TOKEN')
    expect(env).not.toHaveProperty('CLAUDE_CODE_OAUTH_TOKEN')
  })

  it('uses the real key where there is no sidecar', () => {
    const direct = (kind: 'api_key' | 'oauth', baseUrl: string | null) =>
      launch({ proxy: null, access: { via: 'direct', kind, token: 'the-real-one', baseUrl } }).spec.env
    expect(direct('api_key', 'http://127.0.0.1:1')).toMatchObject({
      ANTHROPIC_API_KEY: 'the-real-one',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    })
    const oauth = direct('oauth', null)
    expect(oauth).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: 'the-real-one' })
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'HTTP_PROXY']) expect(oauth).not.toHaveProperty(name)
  })
})

describe('verdict', () => {
  const { facts } = createParser(claudeCode.reader(fresh))
  const verdictOf = (known: Facts, ending: Ending) =>
    judge({ facts: known, abort: null, clean: (it) => it }, ending, claudeCode.stderrFailure)
  const said = { ...facts, produced: true }
  const parser = createParser(claudeCode.reader(fresh))
  parser.feed(Buffer.from('{"type":"system","subtype":"init"}\n'))
  const begun = { ...parser.facts, produced: true }
  const exit = (code: number, timedOut = false) => ({ kind: 'exit' as const, code, timedOut })

  it.each([
    ['no output at all', facts, exit(0), '', { status: 'failed', kind: 'no_output', exit_code: 0 }],
    ['something said', said, exit(0), '', { status: 'completed', kind: null }],
    ['an answer only at the end', { ...facts, result_text: 'yes' }, exit(0), '', { status: 'completed' }],
    [
      'a turn that was not over',
      begun,
      exit(0),
      '',
      { kind: 'internal', reason: 'The client ended before its turn was over' },
    ],
    ['a turn that was', { ...begun, finished: true }, exit(0), '', { status: 'completed' }],
    ['no time left', said, exit(124, true), '', { status: 'timeout', kind: 'timeout', exit_code: 124 }],
    ['a bad token', said, exit(123), '', { kind: 'bad_key' }],
    ['no such program', facts, exit(127), 'sh: claude: not found', { kind: 'client_missing' }],
    [
      'a kill',
      said,
      exit(137),
      '',
      { kind: 'killed', reason: "The agent's process was ended by SIGKILL, perhaps for want of memory" },
    ],
    ['a signal', said, { kind: 'signal' as const, signal: 'SIGSEGV' }, '', { kind: 'killed', exit_code: null }],
    [
      'a lost process',
      said,
      { kind: 'lost' as const, reason: 'container gone' },
      '',
      { kind: 'killed', reason: "The agent's process is gone: container gone" },
    ],
    [
      'a code and a last word',
      said,
      exit(1),
      'line one\nline two\n',
      { kind: 'internal', reason: 'The client ended with code 1: line two' },
    ],
    [
      'a refused root',
      facts,
      exit(1),
      '--dangerously-skip-permissions cannot be used with root/sudo privileges',
      { kind: 'root_refused' },
    ],
  ])('of %s', (_, known, end, stderr, expected) => {
    expect(verdictOf(known, { end, stderr, cancelled: false })).toMatchObject({
      status: 'failed',
      ...expected,
    })
  })

  it('tells the chat why, and nothing when all went well', () => {
    const judge = (cancelled: boolean, code: number) =>
      errorFrame(verdictOf(said, { end: exit(code), stderr: '', cancelled }))
    expect(judge(false, 0)).toBeNull()
    expect(judge(true, 143)).toBeNull()
    expect(judge(false, 127)).toEqual({
      type: 'error',
      content: "The agent's client is not in this image",
      metadata: { reason: 'client_missing', code: 'provider_capability' },
    })
  })
})

describe('adapterOf', () => {
  it('knows what Muster can run', () => {
    expect(adapterOf('CLAUDE_CODE')).toBe(claudeCode)
    expect(adapterOf('ANOTHER_CLI')).toBeUndefined()
  })
})
