import { describe, expect, it, vi } from 'vitest'
import { type FactName, fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Wire } from '../../../daemon/kernel/facts.ts'
import type { Person, TestDaemon } from '../../support/index.ts'
import { failOn } from '../../support/reactions.ts'
import { workplace } from '../../support/runs.ts'

/** All that is stored. */
function everything({ db }: App) {
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .pluck()
    .all()
  return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).all()]))
}

interface Scene {
  it: TestDaemon & { crewId: string; agentId: string }
  chat: string
  membership: string
  token: string
}

/** A deletion of a feature, its fact, and how it is asked for. */
const deletions: [FactName, (scene: Scene) => [string, string, object?]][] = [
  ['crew.deleted', ({ it }) => ['DELETE', `/crews/${it.crewId}`]],
  ['agent.deleted', ({ it }) => ['DELETE', `/crews/${it.crewId}`]],
  ['agent.deleted', ({ it }) => ['DELETE', `/agents/${it.agentId}`]],
  ['chat.deleted', ({ it, chat }) => ['DELETE', `/agents/${it.agentId}/chats/${chat}`]],
  ['workspace_member.deleted', ({ it, membership }) => ['DELETE', `/workspaces/${it.workspace}/members/${membership}`]],
  ['invitation.revoked', ({ it, membership }) => ['DELETE', `/workspaces/${it.workspace}/members/${membership}`]],
  ['cli_token.deleted', ({ token }) => ['DELETE', `/auth/cli-tokens/${token}`]],
]

async function scene(): Promise<Scene> {
  const it = await workplace({ quiet: true })
  const member = it.person('ADMIN')
  const chat = await it.openChat()
  const { run_id } = await it.send(await it.openChat(), 'Work')
  await it.runtime.program()
  expect(run_id).toBeTruthy()
  await it.call('OWNER', 'POST', `/crews/${it.crewId}/members`, { user_id: member.userId, role: 'ADMIN' })
  await it.call('OWNER', 'POST', '/credentials', { name: 'key', value: 'secret', type: 'SECRET' })
  const invited = await it.call(member, 'POST', `/workspaces/${it.workspace}/invitations`, {
    email: 'eve@example.com',
    role: 'MEMBER',
  })
  expect(invited.status, invited.text).toBe(201)
  await it.app.idle()
  const idOf = (table: string, user: Person) =>
    it.app.db.prepare<[string], string>(`SELECT id FROM ${table} WHERE user_id = ?`).pluck().get(user.userId)!
  return {
    it,
    chat,
    membership: idOf('workspace_members', member),
    token: idOf('cli_tokens', it.person('OWNER')),
  }
}

describe('a reaction that fails', () => {
  it.each(deletions)('to %s leaves all as it was', async (name, wanted) => {
    const all = await scene()
    const [method, path, body] = wanted(all)
    const before = everything(all.it.app)
    failOn(all.it.app, name)
    const answer = await all.it.call('OWNER', method, path, body)
    expect([answer.status, path]).toEqual([500, path])
    expect(everything(all.it.app)).toEqual(before)
  })

  it('because it records what it did not declare, leaves all as it was', async () => {
    const { it } = await scene()
    const before = everything(it.app)
    const run: Wire['run'] = (app, { about }) =>
      void app.journal(
        fact('chat.deleted', { entity_id: 'x' }, { workspace_id: about.workspace_id!, actor_type: 'system' }),
      )
    it.app.reactor.connect([
      ...it.app.reactor.wires,
      { feature: 'test', fact: 'agent.deleted', phase: 'on', writes: [], run },
    ])
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(500)
    expect(everything(it.app)).toEqual(before)
  })

  it('after the commit is logged, and neither the change nor the others mind', async () => {
    const { it } = await scene()
    const error = vi.spyOn(it.app.log, 'error').mockReturnValue()
    const ran: string[] = []
    const late = (name: string, run: () => unknown): Wire => ({
      feature: name,
      fact: 'crew.deleted',
      phase: 'after',
      writes: [],
      run: () => {
        ran.push(name)
        return run()
      },
    })
    const thrown = new Error('at once')
    const rejected = new Error('later')
    it.app.reactor.connect([
      ...it.app.reactor.wires,
      late('first', () => {
        throw thrown
      }),
      late('second', () => Promise.reject(rejected)),
      late('third', () => undefined),
    ])
    expect((await it.call('OWNER', 'DELETE', `/crews/${it.crewId}`)).status).toBe(200)
    await vi.waitFor(() => expect(error.mock.calls).toHaveLength(2))
    expect(ran).toEqual(['first', 'second', 'third'])
    expect(error.mock.calls).toEqual([
      [{ err: thrown }, 'The reaction of first after crew.deleted failed'],
      [{ err: rejected }, 'The reaction of second after crew.deleted failed'],
    ])
    expect((await it.call('OWNER', 'GET', `/crews/${it.crewId}`)).status).toBe(404)
  })
})

// A daemon that is killed between a commit and what is to follow it never does the latter. Nothing is owed by the next
// one as long as these concern nothing but the memory and the connections of the one that died: a new line here must
// say how it is found again.
it('what follows a commit ends with the daemon', async () => {
  const { app } = await workplace()
  const after = app.reactor.wires.filter(({ phase }) => phase === 'after')
  expect(after.map(({ fact, feature }) => `${fact}: ${feature}`)).toEqual([
    // What waits for a place, and answers that nobody has yet, stand in rows that the next daemon looks at first.
    'run.completed: assignments',
    'run.failed: assignments',
    'run.timeout: assignments',
    'run.cancelled: assignments',
    'assignment.completed: assignments',
    'assignment.failed: assignments',
    'assignment.cancelled: assignments',
    // What these leave is found by the hourly sweep, which begins with the daemon.
    'chat.deleted: attachments',
    'agent.deleted: attachments',
    'workspace.deleted: attachments',
    // What is marked stands in rows that the next consolidation reads.
    'memory.priority_changed: consolidate',
    // Programs of servers that are gone are ended by the next daemon as well, and when nobody uses them.
    'integration.updated: integrations',
    'integration.deleted: integrations',
    // What is left of an allowed credential is taken back at the end of the next run of its agent.
    'run.completed: keeper',
    'run.failed: keeper',
    'run.cancelled: keeper',
    'run.timeout: keeper',
    'credential.lease_ended: keeper',
    // What a mission needs next follows from rows that the next daemon looks at first.
    'assignment.completed: missions',
    'assignment.failed: missions',
    'assignment.cancelled: missions',
    'run.completed: missions',
    'run.failed: missions',
    'run.timeout: missions',
    'run.cancelled: missions',
    'approval.granted: missions',
    'approval.denied: missions',
    'approval.timeout: missions',
    'approval.cancelled: missions',
    'run.completed: routines',
    'run.failed: routines',
    'run.cancelled: routines',
    'run.timeout: routines',
    'approval.granted: routines',
    'approval.denied: routines',
    'approval.timeout: routines',
    'approval.orphaned: routines',
    'chat.deleted: runs',
    'workspace.deleted: workspaces',
  ])
})
