import { describe, expect, it } from 'vitest'
import { compileConfig } from '#runtime/sidecar/config'
import { config, credential } from './support.ts'

const secret = 'sk-very-secret'
const good = config(
  [credential('anthropic', secret)],
  { anthropic: 'https://proxy.example/base' },
  { resolvers: ['10.0.0.53', '10.0.0.53:5353', '[fd00::53]:53'] },
)

const broken: [what: string, raw: unknown][] = [
  ['no object', null],
  ['a list', []],
  ['an unknown mode', { ...good, network: { ...good.network, mode: 'open' } }],
  ['domains that are no list', { ...good, network: { ...good.network, allowedDomains: secret } }],
  ['a flag that is no boolean', { ...good, network: { ...good.network, allowPrivateEndpoints: 'false' } }],
  ['agents that are no object', { ...good, agents: [] }],
  ['an agent without an id', { ...good, agents: { [secret]: { slug: 'x', credentials: [] } } }],
  [
    'a uid that is no number',
    { ...good, agents: { [secret]: { agentId: 'x', slug: 'x', uid: 'root', credentials: [] } } },
  ],
  ['a credential of unknown kind', config([{ ...credential('ANTHROPIC', secret), kind: secret as 'oauth' }], {})],
  ['a token that no header can hold', config([credential('ANTHROPIC', `${secret}\n`)], {})],
  ['an empty token', config([credential('ANTHROPIC', '')], {})],
  ['an upstream that is no URL', config([], { OPENAI: secret })],
  ['an upstream of another scheme', config([], { OPENAI: 'file:///etc/passwd' })],
  ['an upstream with a password', config([], { OPENAI: `https://u:${secret}@x.example` })],
  ['an upstream of an unknown provider', config([], { NOBODY: 'https://x.example' })],
  ['a resolver that is a name', { ...good, resolvers: ['dns.example'] }],
]

describe('compileConfig', () => {
  it('finds agents by key and by uid', () => {
    const ada = { agentId: 'agent-ada', slug: 'ada', uid: 20_001, credentials: [] }
    const bob = { agentId: 'agent-bob', slug: 'bob', credentials: [] }
    const raw = { ...good, agents: { 'key-ada': ada, 'key-bob': bob } }
    const bound = compileConfig(raw)
    expect([bound.uids, [...bound.agentByKey], bound.ownerOf(20_001)]).toEqual([
      true,
      [
        ['key-ada', ada],
        ['key-bob', bob],
      ],
      ada,
    ])
    expect(Object.keys(bound.agentByKey.get('key-bob')!)).toEqual(['agentId', 'slug', 'credentials'])
    const free = compileConfig(raw, { uids: false })
    expect([free.uids, free.ownerOf(20_001), free.agentByKey.get('key-ada')]).toEqual([
      false,
      undefined,
      { agentId: 'agent-ada', slug: 'ada', credentials: [] },
    ])
  })

  it('knows the tool servers of the crew by their uids, which have no key, and no other stranger', () => {
    const { ownerOf, agentByKey } = compileConfig(good)
    expect(ownerOf(40_007)).toEqual({ agentId: 'server-40007', slug: 'server-40007', uid: 40_007, credentials: [] })
    expect([ownerOf(44_999)?.restricted, ownerOf(45_000)?.restricted]).toEqual([undefined, true])
    expect([ownerOf(39_999), ownerOf(50_000), ownerOf(1002), ownerOf(null)]).toEqual(Array(4).fill(undefined))
    expect([...agentByKey.values()].some(({ uid }) => uid === 40_007)).toBe(false)
    expect(compileConfig(good, { uids: false }).ownerOf(40_007)).toBeUndefined()
  })

  it('restricts the agents that work on what another program sent, or all where they cannot be told apart', () => {
    const ada = { agentId: 'agent-ada', slug: 'ada', uid: 20_001, credentials: [], restricted: true }
    const bob = { agentId: 'agent-bob', slug: 'bob', uid: 20_002, credentials: [] }
    const network = { mode: 'free', allowedDomains: ['permitted.example'], allowPrivateEndpoints: false } as const
    const raw = { ...good, network, agents: { 'key-ada': ada, 'key-bob': bob } }
    const bound = compileConfig(raw)
    const reached = (uid: number, host: string) => bound.rulesOf(bound.ownerOf(uid)).permitsHost(host)
    expect([reached(20_001, 'elsewhere.example'), reached(20_002, 'elsewhere.example')]).toEqual([false, true])
    expect([reached(20_001, 'permitted.example'), reached(20_002, 'permitted.example')]).toEqual([true, true])
    const together = (agents: object) => compileConfig({ ...raw, agents }, { uids: false }).rulesOf(undefined)
    expect(together({ 'key-ada': ada, 'key-bob': bob }).permitsHost('elsewhere.example')).toBe(false)
    expect(together({ 'key-bob': bob }).permitsHost('elsewhere.example')).toBe(true)
  })

  it('takes either mode, either kind and either scheme', () => {
    const free = { mode: 'free', allowedDomains: [], allowPrivateEndpoints: true } as const
    const raw = config([credential('openai', secret, { kind: 'oauth' })], { OPENAI: 'http://x.example' })
    const { agentByKey, upstreams } = compileConfig({ ...raw, network: free })
    expect(agentByKey.get('dummy-ada')?.credentials).toEqual([
      { credentialId: `cred-${secret}`, provider: 'OPENAI', kind: 'oauth', token: secret, priority: 1 },
    ])
    expect(upstreams.get('OPENAI')?.href).toBe('http://x.example/')
  })

  const agent = (more: object) => ({
    ...good,
    agents: { [secret]: { agentId: 'x', slug: 'x', credentials: [], ...more } },
  })
  const key = (more: object) => agent({ credentials: [{ ...credential('OPENAI', secret), ...more }] })
  const network = (more: object) => ({ ...good, network: { ...good.network, ...more } })
  it.each<[says: string, raw: unknown]>([
    ['config is no object', undefined],
    ['config is no object', null],
    ['config is no object', 'x'],
    ['config is no object', []],
    ['agents is no object', { ...good, agents: [] }],
    ['agents is no object', { ...good, agents: null }],
    ['upstreams is no object', { ...good, upstreams: 5 }],
    ['network is no object', { ...good, network: undefined }],
    ['network.mode is neither restricted nor free', network({ mode: '' })],
    ['network.allowedDomains is no list of strings', network({ allowedDomains: 'x' })],
    ['network.allowedDomains is no list of strings', network({ allowedDomains: ['x', 5] })],
    ['network.allowPrivateEndpoints is no boolean', network({ allowPrivateEndpoints: 0 })],
    ['agents[0] is no object', { ...good, agents: { [secret]: 5 } }],
    ['agents[0].agentId is no text', agent({ agentId: '' })],
    ['agents[0].slug is no text', agent({ slug: 5 })],
    ['agents[0].uid is no whole number', agent({ uid: 1.5 })],
    ['agents[0].credentials is no list', agent({ credentials: {} })],
    ['agents[0].credentials[0] is no object', agent({ credentials: [null] })],
    ['agents[0].credentials[0].kind is neither api_key nor oauth', key({ kind: '' })],
    ['agents[0].credentials[0].priority is no number', key({ priority: '1' })],
    ['agents[0].credentials[0].token is no text', key({ token: '' })],
    ['agents[0].credentials[0].token holds a character that no header may hold', key({ token: 'a b' })],
    ['agents[0].credentials[0].credentialId is no text', key({ credentialId: null })],
    ['agents[0].credentials[0].provider is no text', key({ provider: 5 })],
    ['upstreams.NOBODY is no provider of model calls', config([], { NOBODY: 'https://x.example' })],
    ['upstreams.openai is no text', config([], { openai: '' })],
    ['upstreams.OPENAI is no URL', config([], { OPENAI: 'x' })],
    ['upstreams.OPENAI is neither http nor https', config([], { OPENAI: 'ftp://x.example' })],
    ...['https://u@x.example', 'https://:p@x.example', 'https://x.example/?q', 'https://x.example/?q#f'].map(
      (url): [string, unknown] => ['upstreams.OPENAI may hold a host and a path only', config([], { OPENAI: url })],
    ),
    ['upstreams.OPENAI may hold a host and a path only', config([], { OPENAI: 'https://x.example/#f' })],
    ['resolvers is no list of strings', { ...good, resolvers: '10.0.0.53' }],
  ])('says that %s', (says, raw) => expect(() => compileConfig(raw)).toThrow(new Error(says)))

  it('reads providers in any case', () => {
    const { agentByKey, upstreams, resolvers } = compileConfig(good)
    expect(agentByKey.get('dummy-ada')?.credentials[0]?.provider).toBe('ANTHROPIC')
    expect(upstreams.get('ANTHROPIC')?.href).toBe('https://proxy.example/base')
    expect(resolvers).toHaveLength(3)
  })

  it.each(broken)('refuses %s and quotes no value', (_, raw) => {
    let message = ''
    try {
      compileConfig(raw)
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).not.toBe('')
    expect(message).not.toContain('secret')
  })

  it('knows a vendor’s own address when it is named, and judges it as such', () => {
    const { upstreams } = compileConfig({
      ...good,
      upstreams: {
        ANTHROPIC: 'https://api.anthropic.com',
        openai: 'https://API.openai.com/',
        GOOGLE: 'https://x.example',
      },
    })
    expect([...upstreams.keys()]).toEqual(['GOOGLE'])
  })

  it('takes the names of JavaScript for plain keys', () => {
    const raw = JSON.parse('{"__proto__":{"agentId":"x","slug":"x","credentials":[]}}')
    const { agentByKey } = compileConfig({ ...good, agents: raw })
    expect(agentByKey.get('constructor')).toBeUndefined()
    expect(agentByKey.get('__proto__')?.agentId).toBe('x')
  })
})
