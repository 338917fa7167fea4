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
  const ask = (call: Partial<SidecarCall>, crewId = it.crewId): Promise<SidecarAnswer> =>
    listener!(
      crewId,
      { id: 'call', agentId: it.agentId, runId: null, route: '/report-confidence', body: { confidence: 0.9 }, ...call },
      new AbortController().signal,
    )
  return { it, ask }
}

describe('a call of an agent', () => {
  it('is carried out in its name, in its run, whatever its body says', async () => {
    const { it: server, ask } = await setUp()
    const chat = await server.openChat()
    const { run_id } = await server.send(chat, 'Work')
    const { status } = await ask({ body: { confidence: 0.2, reason: 'the tests are red', agent_id: 'another', workspace_id: 'another' } })
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
