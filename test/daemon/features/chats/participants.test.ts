import { describe, expect, it } from 'vitest'
import { addPerson } from '#test'
import { workplace } from '../../../support/runs.ts'

async function place() {
  const it = await workplace()
  const chat = (await it.call('MEMBER', 'POST', `/agents/${it.agentId}/chats`)).body.id as string
  const path = `/chats/${chat}/participants`
  const creator = it.person('MEMBER').userId
  const viewer = it.person('VIEWER').userId
  const people = async () => (await it.call('VIEWER', 'GET', path)).body.participants
  const visibility = async () => (await it.call('OWNER', 'GET', `/agents/${it.agentId}/chats`)).body[0].visibility
  return { it, chat, path, creator, viewer, people, visibility }
}

describe('participants', () => {
  it('are nobody at first; the first addition makes a group of the chat, with its creator as the owner', async () => {
    const { it, chat, path, creator, viewer, people, visibility } = await place()
    expect(await people()).toEqual([])
    const heard: unknown[] = []
    it.app.bus.on('broadcast', (said) => heard.push(said))
    expect(await it.call('MEMBER', 'POST', path, { user_id: viewer })).toMatchObject({ status: 204, text: '' })
    expect(await people()).toEqual([
      {
        user_id: creator,
        email: it.person('MEMBER').email,
        full_name: 'The MEMBER',
        role: 'owner',
        joined_at: '2026-01-01T00:00:00Z',
      },
      {
        user_id: viewer,
        email: it.person('VIEWER').email,
        full_name: 'The VIEWER',
        role: 'member',
        joined_at: '2026-01-01T00:00:00Z',
      },
    ])
    expect(await visibility()).toBe('group')
    expect(heard).toEqual([
      { channel: `session:${chat}`, type: 'chat_participants', payload: { agent_id: it.agentId, chat_id: chat } },
    ])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      agent_id: it.agentId,
      crew_id: it.crewId,
      payload: {
        entity_type: 'chat_participant',
        entity_id: viewer,
        metadata: { chat_id: chat, user_id: viewer, role: 'member' },
      },
    })
  })

  it('are added once; adding them again changes the label alone', async () => {
    const { it, path, creator, viewer, people } = await place()
    await it.call('MEMBER', 'POST', path, { user_id: viewer })
    const before = it.entries().length
    expect((await it.call('ADMIN', 'POST', path, { user_id: viewer, role: 'owner' })).status).toBe(204)
    expect((await it.call('ADMIN', 'POST', path, { user_id: viewer })).status).toBe(204)
    expect((await it.call('ADMIN', 'POST', path, { user_id: creator, role: 'member' })).status).toBe(204)
    expect((await people()).map(({ role }: { role: string }) => role)).toEqual(['owner', 'owner'])
    expect(it.entries()).toHaveLength(before)
  })

  it('do not count the creator alone as a group', async () => {
    const { it, path, creator, people, visibility } = await place()
    expect((await it.call('MEMBER', 'POST', path, { user_id: creator })).status).toBe(204)
    expect([await people(), await visibility()]).toEqual([[], 'private'])
  })

  it('are removed, and the creator is not', async () => {
    const { it, path, creator, viewer, people, visibility } = await place()
    await it.call('MEMBER', 'POST', path, { user_id: viewer })
    expect((await it.call('MEMBER', 'DELETE', `${path}/${viewer}`)).status).toBe(204)
    expect((await it.call('MEMBER', 'DELETE', `${path}/${viewer}`)).status).toBe(204)
    expect(await it.call('OWNER', 'DELETE', `${path}/${creator}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field: 'userId' },
    })
    expect((await people()).map(({ user_id }: { user_id: string }) => user_id)).toEqual([creator])
    expect(await visibility()).toBe('private')
    expect(it.entries().filter(({ entry_type }) => entry_type === 'audit.entity_deleted')).toHaveLength(1)
  })

  it('are changed by the creator and by ADMINs, whatever their label', async () => {
    const { it, path, viewer } = await place()
    for (const who of ['VIEWER', 'MANAGER'] as const)
      expect(await it.call(who, 'POST', path, { user_id: viewer })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_role' },
      })
    expect((await it.call('OWNER', 'POST', path, { user_id: viewer, role: 'owner' })).status).toBe(204)
    expect((await it.call('VIEWER', 'POST', path, { user_id: it.person('ADMIN').userId })).status).toBe(403)
    expect((await it.call('VIEWER', 'DELETE', `${path}/${viewer}`)).status).toBe(403)
  })

  it('are members of the workspace', async () => {
    const { it, path } = await place()
    for (const user_id of [it.stranger().userId, 'nobody', ''])
      expect(await it.call('MEMBER', 'POST', path, { user_id })).toMatchObject({
        status: 400,
        body: { code: 'invalid_field', field: 'user_id' },
      })
    expect((await it.call('MEMBER', 'POST', path, {})).status).toBe(400)
    for (const method of ['GET', 'POST'] as const)
      expect(
        (await it.call(it.stranger(), method, path, method === 'POST' ? { user_id: 'x' } : undefined)).status,
      ).toBe(404)
  })

  it('do not begin with a creator who left the workspace', async () => {
    const { it, path, viewer, people, visibility } = await place()
    it.app.db.prepare('DELETE FROM workspace_members WHERE user_id = ?').run(it.person('MEMBER').userId)
    expect((await it.call('ADMIN', 'POST', path, { user_id: viewer })).status).toBe(204)
    expect((await people()).map(({ user_id }: { user_id: string }) => user_id)).toEqual([viewer])
    expect(await visibility()).toBe('group')
  })

  it('are listed by every member; removing somebody who is none of them changes nothing', async () => {
    const { it, path, viewer, people } = await place()
    for (const who of ['VIEWER', 'MEMBER', 'MANAGER', 'ADMIN', 'OWNER'] as const)
      expect(await it.call(who, 'GET', path)).toMatchObject({ status: 200, body: { participants: [] } })
    const before = it.entries().length
    for (const user of [viewer, 'nobody', it.stranger().userId])
      expect((await it.call('MEMBER', 'DELETE', `${path}/${user}`)).status).toBe(204)
    expect((await it.call('MANAGER', 'DELETE', `${path}/${viewer}`)).status).toBe(403)
    expect([await people(), it.entries().length]).toEqual([[], before])
  })

  it('of an unknown chat and of one of another workspace are absent alike', async () => {
    const { it, chat, path, viewer } = await place()
    const elsewhere = it.stranger()
    const plain = ({ status, text }: { status: number; text: string }) => [status, text.replaceAll(chat, 'none')]
    for (const [method, more, body] of [
      ['GET', ''],
      ['POST', '', { user_id: viewer }],
      ['DELETE', `/${viewer}`],
    ] as const) {
      const absent = await it.call(elsewhere, method, `/chats/none/participants${more}`, body)
      const foreign = await it.call(elsewhere, method, path + more, body, { 'x-workspace-id': it.workspace })
      expect([plain(foreign), absent.status]).toEqual([plain(absent), 404])
    }
  })

  it('leave with the workspace, after which the chat is private again', async () => {
    const { it, path, people, visibility } = await place()
    const guest = it.app.writeNow(() => addPerson(it.app, 'VIEWER', it.workspace))
    await it.call('MEMBER', 'POST', path, { user_id: guest.userId })
    expect(await visibility()).toBe('group')
    const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
    const { id } = members.find(({ user_id }: { user_id: string }) => user_id === guest.userId)
    expect((await it.call(guest, 'DELETE', `/workspaces/${it.workspace}/members/${id}`)).status).toBe(200)
    expect((await people()).map(({ user_id }: { user_id: string }) => user_id)).not.toContain(guest.userId)
    expect(await visibility()).toBe('private')
    expect((await it.call(guest, 'GET', path)).status).toBe(404)
  })
})
