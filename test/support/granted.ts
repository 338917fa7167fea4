import { expect } from 'vitest'
import { daemon, fixedClock, type TestDaemon } from '#test'
import { deliveryOf } from '../../daemon/features/credentials/delivery/service.ts'

type Call = TestDaemon['call']

async function make(call: Call, path: string, body: object): Promise<{ id: string }> {
  const answer = await call('OWNER', 'POST', path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

/** An agent of a crew, to which credentials are given. */
export async function agentWithCredentials(options: Parameters<typeof daemon>[0] = {}) {
  const clock = fixedClock()
  const it = await daemon({ ...options, clock })
  const crew = (await make(it.call, '/crews', { name: 'Backend', slug: 'backend' })).id
  const agent = (await make(it.call, '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).id
  let count = 0
  const add = async (body: object = {}) => {
    clock.advance(1) // ids of one millisecond have no order
    return (await make(it.call, '/credentials', { name: `c${++count}`, value: `v${count}`, ...body })).id
  }
  const model = (body: object = {}) => add({ type: 'API_KEY', provider: 'ANTHROPIC', ...body })
  const give = async (credential_id: string, body: object = {}) =>
    (await make(it.call, `/agents/${agent}/credentials`, { credential_id, env_var_name: `VAR_${++count}`, ...body })).id
  const assigned = async (who: Parameters<Call>[0] = 'OWNER') =>
    (await it.call(who, 'GET', `/agents/${agent}/credentials`)).body
  const delivered = () => deliveryOf(it.app, agent)
  const tokens = () => delivered().models.map(({ token, priority }) => [token, priority])
  const payer = async (who: Parameters<Call>[0] = 'OWNER') =>
    (await it.call(who, 'GET', `/agents/${agent}`)).body.pays_with
  const made = (path: string, body: object) => make(it.call, path, body)
  return { ...it, clock, make: made, crew, agent, add, model, give, assigned, delivered, tokens, payer }
}
