import { describe, expect, it } from 'vitest'
import { isShowing } from '../../../daemon/features/ports/service.ts'
import { FakeRuntime } from '../../support/fake-runtime.ts'
import { workplace } from '../../support/runs.ts'

const setUp = () => workplace({ runtime: new FakeRuntime() })

/** Opens a port of the agent to people, as its own tool does. */
function show({ app, workspace, crewId, agentId }: Awaited<ReturnType<typeof setUp>>): void {
  const expires = new Date(app.clock() + 60_000).toISOString()
  app.db
    .prepare(
      `INSERT INTO port_exposures (id, workspace_id, crew_id, agent_id, container_id, container_port, token_hash,
        status, created_at, expires_at)
       VALUES ('cport', ?, ?, ?, 'c', 3000, 'h', 'ACTIVE', ?, ?)`,
    )
    .run(workspace, crewId, agentId, app.now(), expires)
  expect(isShowing(app, agentId)).toBe(true)
}

describe('what a program leaves running', () => {
  it.each([
    ['ends with it', false, false, 1],
    ['goes on while a port of the agent is open', true, false, 0],
    ['ends with a program that took too long, open port or not', true, true, 1],
  ])('%s', async (_, showing, timedOut, times) => {
    const it = await setUp()
    if (showing) show(it)
    const { run_id } = await it.send(await it.openChat(), 'hello')
    const program = await it.runtime.program()
    it.runtime.finish(program, { kind: 'exit', code: timedOut ? 124 : 0, timedOut })
    await it.runs.ended(run_id)
    expect(it.runtime.left).toEqual(Array(times).fill(run_id))
  })

  it('ends with a stop of its agent', async () => {
    const it = await setUp()
    expect((await it.call('OWNER', 'POST', `/agents/${it.agentId}/stop`)).body).toMatchObject({ status: 'stopped' })
    expect(it.runtime.left).toEqual([undefined])
  })
})
