import { expect, it as test } from 'vitest'
import { fact } from '#contract/entries'
import { daemon, type TestDaemon } from '#test'
import { noteEnding } from '../../../../daemon/features/credentials/expiry/service.ts'
import { endRun } from '../../../../daemon/features/runs/endings/service.ts'
import { agentAtWork } from '../../../support/agent-at-work.ts'

type Who = Parameters<TestDaemon['call']>[0]

/** A channel through which somebody wants categories. */
async function wanting(it: TestDaemon, who: Who, ...categories: string[]): Promise<string> {
  const hook = { type: 'webhook', url: 'https://example.com/hook', personal: true }
  const channel_id = (await it.call(who, 'POST', '/notification-channels', hook)).body.id
  const cells = categories.map((category) => ({ category, channel_id, state: 'immediate' }))
  expect((await it.call(who, 'PUT', '/me/notification-prefs', { cells })).status).toBe(200)
  return channel_id
}

/** What channels were to take, oldest first. */
const taken = async (it: TestDaemon) =>
  (await it.call('ADMIN', 'GET', '/notification-deliveries')).body.deliveries
    .map(({ user_id, category, title }: Record<string, string>) => [
      ['OWNER', 'ADMIN', 'MEMBER'].find((who) => it.person(who as 'OWNER').userId === user_id),
      category,
      title,
    ])
    .reverse()

test('what happens to a server and its crews is told in the category that it belongs to', async () => {
  const it = await daemon()
  for (const who of ['ADMIN', 'MEMBER'] as const)
    await wanting(it, who, 'agents.error', 'agents.budget', 'system.health', 'system.migration', 'security', 'memory')
  const { app, workspace } = it
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const about = { workspace_id: workspace, crew_id: crew.id, actor_type: 'orchestrator' } as const
  const key = { credential_id: 'c1', credential_name: 'key', next_id: 'c2', next_name: 'other', status: 429 }
  const disk = { disk_free_bytes: 1, disk_total_bytes: 9, disk_reserve_bytes: 1, disk_level: 'warn' } as const
  const proposal = { proposal_id: 'p', proposal_path: 'x', rules_count: 2, entries_scanned: 9, model: 'm' }
  const sweep = { worker_id: 'w', crews_run: 0, rules_appended: 0, rules_proposed: 0 }
  const file = { path: 'agent:ada/AGENT.md', tier: 'agent', file: 'AGENT.md' }
  const refusal = { ...file, what: 'it holds a secret', bytes_attempted: 9, bytes_limit: 4000 }
  app.writeNow(() => {
    app.journal(fact('provisioning.failed', { error: 'no space', step: 'image' }, about))
    app.journal(fact('crew.stopped_for_room', { error: 'the disk is full' }, about))
    app.journal(fact('credential.failover', { ...key, reason: 'refused' }, about))
    app.journal(fact('credential.failover', { ...key, reason: 'quota' }, about))
    app.journal(fact('server.disk', disk, about))
    app.journal(fact('system.migration', { entries: 3 }, about))
    app.journal(fact('memory.write_rejected', { ...refusal, reason: 'scrubber' }, about))
    app.journal(fact('memory.write_rejected', { ...refusal, reason: 'cap' }, about))
    app.journal(fact('memory.write_verifier_blocked', { ...file, kind: 'injection', detail: 'an order' }, about))
    app.journal(fact('memory.consolidation_proposed', proposal, about))
    app.journal(fact('system.consolidation_completed', { ...sweep, status: 'ok' }, about))
    app.journal(fact('system.consolidation_completed', { ...sweep, status: 'failed' }, about))
  })
  const all = await taken(it)
  expect(all.filter(([who]: string[]) => who === 'MEMBER').map(([, category]: string[]) => category)).toEqual([
    'agents.error',
    'agents.error',
  ])
  expect(all.filter(([who]: string[]) => who === 'ADMIN').map(([, category]: string[]) => category)).toEqual([
    'agents.error',
    'agents.error',
    'agents.error',
    'agents.budget',
    'system.health',
    'system.migration',
    'security',
    'security',
    'memory',
    'memory',
  ])
  expect(all.at(0)[2]).toContain('no space')
})

test('who added a credential hears once of each end of it, a week ahead; ADMINs do when they left', async () => {
  const it = await daemon()
  await wanting(it, 'ADMIN', 'system.health')
  const at = (days: number) => new Date(it.clock() + days * 86_400_000).toISOString()
  const add = async (name: string, who: Who, token_expires_at: string | null) => {
    const body = { name, value: 'x-4711-0815', type: 'SECRET', token_expires_at }
    return (await it.call(who, 'POST', '/credentials', body)).body.id
  }
  await add('far', 'ADMIN', at(8))
  await add('endless', 'ADMIN', null)
  const near = await add('near', 'ADMIN', at(6))
  const look = () => it.app.writeNow(() => noteEnding(it.app, 10))
  const told = async (who: Who) =>
    (await it.call(who, 'GET', '/notifications')).body.map(
      ({ action, entity_title }: Record<string, string>) => `${action} ${entity_title}`,
    )
  expect([look(), look()]).toEqual([1, 0])
  expect(await told('ADMIN')).toEqual(['expiring near'])
  expect(await told('OWNER')).toEqual([])
  expect((await taken(it)).map(([, category]: string[]) => category)).toEqual(['system.health'])
  await it.call('ADMIN', 'PATCH', `/credentials/${near}`, { token_expires_at: at(5) })
  expect(look()).toBe(1)
  const members = (await it.call('OWNER', 'GET', `/workspaces/${it.workspace}/members`)).body
  const { id } = members.find(({ user_id }: { user_id: string }) => user_id === it.person('ADMIN').userId)
  await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/members/${id}`)
  it.clock.advance(2 * 86_400_000)
  expect(look()).toBe(1)
  expect(await told('OWNER')).toEqual(['expiring far'])
})

test('whose account is locked hears of it', async () => {
  const it = await daemon()
  await wanting(it, 'MEMBER', 'security')
  const { userId, email } = it.person('MEMBER')
  const metadata = { changed: ['locked_until'], locked_until: '2026-01-01T00:00:00Z' } as never
  const about = { workspace_id: it.workspace, actor_type: 'system' } as const
  it.app.writeNow(() => it.app.journal(fact('user.locked', { entity_id: userId, name: email, metadata }, about)))
  expect((await it.call('MEMBER', 'GET', '/notifications')).body).toMatchObject([{ action: 'locked' }])
  expect(await taken(it)).toMatchObject([['MEMBER', 'security', expect.stringContaining(email)]])
})

test('who waits for an answer in a chat is told of each one, unless they see it there', async () => {
  const it = await agentAtWork()
  await wanting(it, 'OWNER', 'chat.replies')
  await wanting(it, 'ADMIN', 'chat.replies')
  const answer = (runId: string, message: string) =>
    it.app.writeNow(() =>
      endRun(it.app, runId, {
        outcome: 'COMPLETED',
        agentStatus: 'IDLE',
        exitCode: 0,
        reason: null,
        metadata: {},
        message: { role: 'assistant', content: message } as never,
        command: null,
        lastFrame: 1,
      }),
    )
  answer(it.runId, 'It is done')
  expect(await taken(it)).toEqual([['OWNER', 'chat.replies', expect.stringMatching(/^Agent ada answered/)]])
  const body = it.app.db.prepare<[], { message_json: string }>('SELECT message_json FROM notification_deliveries').get()
  expect(JSON.parse(body!.message_json).body).toBe('It is done')
  const { run_id } = await it.send(await it.openChat(), 'More')
  await it.runtime.program()
  Object.assign(it.app.runs, { isWatched: () => true })
  answer(run_id, 'That too')
  expect(await taken(it)).toHaveLength(1)
})
