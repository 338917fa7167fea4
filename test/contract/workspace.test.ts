import { describe, expect, it } from 'vitest'
import { addPerson, daemon, type TestDaemon } from '#test'
import { requestApproval } from '../../daemon/features/approvals/service.ts'

async function place() {
  const it = await daemon()
  const owner = it.person('OWNER')
  const unnamed = { ...owner, workspace: '' }
  const { id: agent } = (await it.call(owner, 'POST', '/agents', { name: 'Ada', slug: 'ada' })).body
  return { it, owner, unnamed, agent }
}

/** Makes one more workspace the user's, with the same role. */
const enter = (it: TestDaemon, user: string, workspace: string) =>
  it.app.db
    .prepare(
      `INSERT INTO workspace_members (id, workspace_id, user_id, role, created_at, updated_at)
       SELECT 'another', ?, user_id, role, created_at, updated_at FROM workspace_members WHERE user_id = ?`,
    )
    .run(workspace, user)

describe('a change of a workspace', () => {
  it('is refused to a page of another origin', async () => {
    const it = await daemon()
    const origin = { origin: 'https://elsewhere.example' }
    const path = `/workspaces/${it.workspace}`
    const { status, body } = await it.call('OWNER', 'PATCH', path, { name: 'Taken' }, origin)
    expect([status, body.code]).toEqual([403, 'origin_rejected'])
  })
})

describe('a call that names no workspace', () => {
  it('is for the workspace of its agent', async () => {
    const { it, owner, unnamed, agent } = await place()
    const secret = (await it.call(owner, 'POST', '/credentials', { name: 'key', type: 'SECRET', value: 'x' })).body
    const path = `/agents/${agent}/credentials`
    const given = await it.call(unnamed, 'POST', path, { credential_id: secret.id, env_var_name: 'KEY' })
    expect(given.status).toBe(201)
    expect((await it.call(unnamed, 'DELETE', `${path}/${given.body.id}`)).status).toBe(200)
    expect((await it.call(unnamed, 'POST', `/agents/${agent}/stop`)).body).toEqual({
      id: agent,
      status: 'stopped',
    })
    const member = { ...it.person('MEMBER'), workspace: '' }
    expect((await it.call(member, 'POST', `/agents/${agent}/stop`)).body.code).toBe('insufficient_role')
  })

  it('is for the workspace of its approval', async () => {
    const { it, unnamed, agent } = await place()
    const held = { kind: 'custom' as const, reason: 'May I?', payload: {}, card: { title: 'May I?' } }
    const id = it.app.writeNow(() =>
      requestApproval(it.app, { workspace: it.workspace, by: agent, ...held, now: it.app.now() }),
    )
    const decided = await it.call(unnamed, 'POST', `/approvals/${id}/decide`, { status: 'approved' })
    expect(decided.body.status).toBe('approved')
  })

  it('is for that workspace among several of the caller', async () => {
    const { it, unnamed, agent } = await place()
    const other = it.stranger()
    const { id: second } = (await it.call(other, 'POST', '/agents', { name: 'Bob', slug: 'bob' })).body
    enter(it, unnamed.userId, other.workspace)
    const held = { kind: 'custom' as const, reason: 'May I?', payload: {}, card: { title: 'May I?' } }
    const places = [
      { workspace: it.workspace, by: agent as string },
      { workspace: other.workspace, by: second as string },
    ]
    for (const at of places) {
      const id = it.app.writeNow(() => requestApproval(it.app, { ...at, ...held, now: it.app.now() }))
      expect((await it.call(unnamed, 'POST', `/agents/${at.by}/stop`)).status).toBe(200)
      expect((await it.call(unnamed, 'POST', `/approvals/${id}/decide`, { status: 'approved' })).status).toBe(200)
    }
  })

  it("is for the caller's only workspace, where that is allowed", async () => {
    const { it, unnamed } = await place()
    const { workspace } = it.stranger()
    expect((await it.call(unnamed, 'GET', '/approvals')).body.rows).toEqual([])
    enter(it, unnamed.userId, workspace)
    expect((await it.call(unnamed, 'GET', '/approvals')).body.code).toBe('workspace_required')
    it.app.db.prepare('UPDATE workspaces SET deleted_at = created_at WHERE id = ?').run(workspace)
    expect((await it.call(unnamed, 'GET', '/approvals')).body.rows).toEqual([])
  })

  it('does not tell a stranger that an agent or an approval is there', async () => {
    const { it, agent } = await place()
    const stranger = { ...it.stranger(), workspace: '' }
    const held = { kind: 'custom' as const, reason: 'May I?', payload: {}, card: { title: 'May I?' } }
    const approval = it.app.writeNow(() =>
      requestApproval(it.app, { workspace: it.workspace, by: agent, ...held, now: it.app.now() }),
    )
    const answersOf = async (agentId: string, approvalId: string) => [
      (await it.call(stranger, 'POST', `/agents/${agentId}/stop`)).body,
      (await it.call(stranger, 'POST', `/approvals/${approvalId}/decide`, { status: 'approved' })).body,
    ]
    const answers = await answersOf(agent, approval)
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
    expect(answers.map(({ detail }) => detail)).toEqual(['There is no such agent', 'There is no such approval'])
    expect((await answersOf('none', 'none')).map(({ detail }) => detail)).toEqual(answers.map(({ detail }) => detail))
  })

  it('is refused for members who have yet to set up the second factor that the workspace asks for', async () => {
    const { it, unnamed, agent } = await place()
    it.app.db.prepare('UPDATE workspaces SET require_two_factor = 1').run()
    expect((await it.call(unnamed, 'POST', `/agents/${agent}/stop`)).body.code).toBe('two_factor_required')
    expect((await it.call(unnamed, 'GET', '/approvals')).body.code).toBe('two_factor_required')
  })
})

describe.each(['/journal', '/journal/count', '/journal/lookup', '/runs'])('%s', (path) => {
  it('takes the workspace from the header, else from the query, for its members', async () => {
    const { it, owner, unnamed } = await place()
    const other = it.stranger()
    const of = (workspace: string) => `${path}?workspace_id=${workspace}`
    const answers = [
      await it.call(unnamed, 'GET', of(it.workspace)),
      await it.call(owner, 'GET', of(other.workspace)),
      await it.call(unnamed, 'GET', of(other.workspace)),
      await it.call(unnamed, 'GET', of('none')),
      await it.call({ ...other, workspace: it.workspace }, 'GET', of(other.workspace)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403, 403])
    expect(answers[3]!.body.code).toBe('not_a_member')
    expect(answers[2]!.text).toBe(answers[3]!.text)
  })
})

it('a run is shown by the workspace of the query', async () => {
  const { it, unnamed } = await place()
  const guest = it.app.writeNow(() => addPerson(it.app, 'VIEWER', it.workspace))
  const shown = (who: object) => it.call({ ...unnamed, ...who }, 'GET', `/runs/none?workspace_id=${it.workspace}`)
  expect((await shown({})).body.code).toBe('not_found')
  expect((await shown({ token: guest.token })).body.code).toBe('not_found')
  expect((await shown({ token: it.stranger().token })).body.code).toBe('not_a_member')
})
