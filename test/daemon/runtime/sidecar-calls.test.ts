import { describe, expect, it } from 'vitest'
import { answerCalls } from '../../../daemon/runtime/sidecar-calls.ts'
import type { Runtime, SidecarAnswer, SidecarCall, SidecarListener } from '../../../daemon/runtime/types.ts'
import { workplace } from '../../support/runs.ts'

/** A crew with an agent, and what its sidecar may ask. */
async function setUp() {
  const it = await workplace()
  let listener: SidecarListener | undefined
  const onSidecarCall = (given: SidecarListener) => {
    listener = given
  }
  answerCalls(it.app, { onSidecarCall } as Partial<Runtime> as Runtime)
  const ask = (
    call: Partial<SidecarCall>,
    crewId = it.crewId,
    signal = new AbortController().signal,
  ): Promise<SidecarAnswer> =>
    listener!(
      crewId,
      { id: 'call', agentId: it.agentId, runId: null, route: '/report-confidence', body: { confidence: 0.9 }, ...call },
      signal,
    )
  return { it, ask }
}

describe('a call of an agent', () => {
  it('is carried out in its name, in its run, whatever its body says', async () => {
    const { it: server, ask } = await setUp()
    const chat = await server.openChat()
    const { run_id } = await server.send(chat, 'Work')
    const { status } = await ask({
      body: { confidence: 0.2, reason: 'the tests are red', agent_id: 'another', workspace_id: 'another' },
    })
    expect(status).toBe(202)
    expect(server.entries().at(-1)).toMatchObject({
      entry_type: 'run.confidence',
      severity: 'warn',
      agent_id: server.agentId,
      crew_id: server.crewId,
      actor_type: 'agent',
      actor_id: server.agentId,
      trace_id: run_id,
      payload: { confidence: 0.2, reason: 'the tests are red' },
    })
  })

  it.each([
    [{ body: { confidence: 2 } }, 400, 'invalid_field'],
    [{ body: {} }, 400, 'missing_field'],
    [{ body: 'words' }, 400, 'invalid_json'],
    [{ route: '/nothing' }, 404, 'not_found'],
    [{ route: 'constructor' }, 404, 'not_found'],
    [{ agentId: 'another' }, 404, 'not_found'],
  ] as [Partial<SidecarCall>, number, string][])('is refused for %j', async (call, status, code) => {
    const { ask } = await setUp()
    expect(await ask(call)).toMatchObject({ status, body: { code } })
  })

  it('is refused for an agent of another crew, and says nothing of a run that is not the agent’s', async () => {
    const { it: server, ask } = await setUp()
    expect((await ask({}, 'another')).status).toBe(404)
    await ask({ runId: 'not-mine' })
    expect(server.entries().at(-1)).not.toHaveProperty('trace_id')
  })
})

describe('a question of an agent', () => {
  const route = '/escalate'
  const asked = async ({ it }: Awaited<ReturnType<typeof setUp>>): Promise<Record<string, string>[]> =>
    (await it.call('OWNER', 'GET', `/crews/${it.crewId}/escalations`)).body
  const first = async (world: Awaited<ReturnType<typeof setUp>>) => {
    await expect.poll(async () => (await asked(world)).length).toBe(1)
    return (await asked(world))[0]!
  }

  it('waits for people, and brings their answer back', async () => {
    const world = await setUp()
    const { it: server, ask } = world
    const chat = await server.openChat()
    const { run_id } = await server.send(chat, 'Work')
    const answer = ask({ route, body: { reason: 'May I?', crew_id: 'another', call_id: 'forged' } })
    const { id, chat_id } = await first(world)
    expect(chat_id).toBe(chat)
    expect(server.entries().findLast(({ entry_type }) => entry_type === 'peer.escalation')).toMatchObject({
      trace_id: run_id,
      crew_id: server.crewId,
    })
    await server.call('MANAGER', 'PATCH', `/escalations/${id}/resolve`, { resolution: 'You may.' })
    expect(await answer).toEqual({
      status: 200,
      body: { escalation_id: id, status: 'RESOLVED', resolution: 'You may.', action: 'approve' },
    })
  })

  it('is the same one after a restart: nothing is asked twice, and the answer arrives', async () => {
    const world = await setUp()
    const { it: server, ask } = world
    const gone = new AbortController()
    const lost = ask({ route, body: { reason: 'May I?' } }, server.crewId, gone.signal)
    const { id } = await first(world)
    gone.abort()
    await lost
    const again = ask({ route, body: { reason: 'May I?' } })
    await expect.poll(async () => (await first(world))['agent_gave_up_at']).toBeNull()
    await server.call('MANAGER', 'PATCH', `/escalations/${id}/resolve`, { resolution: 'No.', action: 'reject' })
    expect((await again).body).toMatchObject({ escalation_id: id, action: 'reject' })
    // Answered meanwhile: the third time it is told at once.
    expect((await ask({ route, body: { reason: 'May I?' } })).body).toMatchObject({
      escalation_id: id,
      resolution: 'No.',
    })
  })

  it('holds nothing of the vault', async () => {
    const world = await setUp()
    const { it: server, ask } = world
    await server.call('OWNER', 'POST', '/credentials', { name: 'key', value: 'sk-ant-very-secret-1', type: 'SECRET' })
    void ask({ route, body: { reason: 'Is sk-ant-very-secret-1 right?', context: 'It is sk-ant-very-secret-1' } })
    expect(await first(world)).toMatchObject({ reason: 'Is [redacted] right?', context: 'It is [redacted]' })
  })

  it('is refused with a reason that can be read', async () => {
    const { ask } = await setUp()
    expect(await ask({ route, body: {} })).toMatchObject({
      status: 400,
      body: { code: 'missing_field', field: 'reason' },
    })
  })
})
