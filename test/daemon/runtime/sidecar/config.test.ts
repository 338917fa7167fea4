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
