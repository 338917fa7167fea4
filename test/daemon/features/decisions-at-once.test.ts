import { describe, expect, it } from 'vitest'
import { requestApproval } from '../../../daemon/features/approvals/service.ts'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'
import { type AskPlace, asked, askPlace } from '../../support/asks.ts'
import { staleBrowser } from '../../support/browser.ts'
import type { Cli } from '../../support/cli.ts'
import { cliFor } from '../../support/cli.ts'

const seconds = 3600
const secret = { type: 'CREDENTIAL', metadata: { name: 'key', type: 'SECRET', provider: 'GITHUB', value: 'ghp_4711' } }

async function escalated(it: AskPlace, more: object = {}): Promise<string> {
  const headers = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const body = { workspace_id: it.workspace, crew_id: it.crewId, from_slug: 'ada', reason: 'May I?', ...more }
  return (await it.call(null, 'POST', '/internal/escalations', body, headers)).body.escalation_id
}

/** The item of one of each kind, open. */
const items: Record<string, (it: AskPlace) => Promise<string> | string> = {
  escalation: async (it) => `ibx_escalation_${await escalated(it)}`,
  secret: async (it) => `ibx_escalation_${await escalated(it, secret)}`,
  approval: (it) =>
    `ibx_waitpoint_${it.app.writeNow(() =>
      requestApproval(it.app, {
        workspace: it.workspace,
        crew: it.crewId,
        by: it.agentId,
        kind: 'custom',
        reason: 'Buy more disk',
        payload: {},
        seconds,
        card: { title: 'More disk?' },
        now: it.app.now(),
      }),
    )}`,
  waitpoint: (it) =>
    `ibx_waitpoint_${
      it.app.writeNow(() =>
        openWaitpoint(it.app, {
          workspace: it.workspace,
          crew: it.crewId,
          kind: 'approval',
          prompt: 'Go on?',
          seconds,
          now: it.app.now(),
        }),
      ).id
    }`,
  question: async (it) => (await asked(it)).item,
}
const stateOf = async (it: AskPlace, item: string) => (await it.call('OWNER', 'GET', `/inbox/${item}`)).body.state

const told: Record<string, RegExp> = {
  escalation: /The OWNER approved it at 2026/,
  secret: /The OWNER approved it at 2026/,
  approval: /The OWNER: approved at 2026/,
  waitpoint: /It was approved at 2026/,
  question: /This was settled before: dismiss/,
}

describe.each(Object.keys(items))('an item of the inbox: %s', (kind) => {
  it('is decided by one of two at once, and the other is told how', async () => {
    const it = await askPlace()
    const item = await items[kind]!(it)
    // The question of a run is put to one person, who may sit at two terminals.
    const [one, other] = [await cliFor(it, 'OWNER'), await cliFor(it, kind === 'question' ? 'OWNER' : 'ADMIN')]
    const say = (cli: Cli) => cli.run(kind === 'question' ? 'deny' : 'approve', item)
    const before = it.entries().length
    const [won, lost] = await Promise.all([say(one), say(other)])
    expect([won.code, lost.code]).toEqual([0, 5])
    expect(lost.stderr).toMatch(told[kind]!)
    expect(await stateOf(it, item)).toBe('resolved')
    const decided = it.entries().length
    expect(decided).toBeGreaterThan(before)
    expect((await say(other)).code).toBe(5)
    expect(it.entries()).toHaveLength(decided)
  })

  it('is nothing to people of another workspace, by whatever way', async () => {
    const it = await askPlace()
    const item = await items[kind]!(it)
    const { run } = await cliFor(it, it.stranger())
    const before = it.entries().length
    for (const words of [['approve'], ['deny'], ['inbox', 'show'], ['inbox', 'resolve'], ['inbox', 'read']])
      expect(await run(...words, item), words.join(' ')).toMatchObject({ code: 3, stdout: '' })
    expect([await stateOf(it, item), it.entries().length]).toEqual(['unread', before])
  })
})

it('an item that wants a fresh second factor is not decided around it', async () => {
  const it = await askPlace()
  const item = await items['secret']!(it)
  const web = await staleBrowser(it, it.person('OWNER'))
  const { decides } = (await web.call('GET', `/inbox/${item}`)).body
  expect(decides).toMatchObject({ operation: 'escalations.resolve' })
  const tried = [
    await web.call('PATCH', `/escalations/${decides.params.escalationId}/resolve`, decides.choices[0].body),
    await web.call('PATCH', `/inbox/${item}`, { state: 'resolved' }),
    await web.call('POST', `/inbox/${item}/act`, { action: 'answer', input: 'Yes' }),
    await web.call('POST', `/inbox/${item}/act`, { action: 'dismiss' }),
  ]
  expect(tried.map(({ body }) => body.code)).toEqual([
    'step_up_required',
    'source_managed',
    'not_actionable',
    'not_actionable',
  ])
  expect((await it.call('OWNER', 'GET', `/inbox/${item}`)).body).toMatchObject({ decides, source_missing: false })
})

it('an offered secret is not decided by who created the agent, by whatever name and words', async () => {
  const it = await askPlace()
  it.app.db.prepare('UPDATE workspaces SET require_second_approver = 1').run()
  const item = await items['secret']!(it)
  const [creator, other] = [await cliFor(it, 'OWNER'), await cliFor(it, 'ADMIN')]
  const id = item.replace('ibx_escalation_', '')
  for (const words of [
    ['approve', item],
    ['deny', item],
    ['approve', id],
  ]) {
    const { code, stderr } = await creator.run(...words)
    expect([words, code, stderr]).toEqual([words, 4, expect.stringContaining('You created this agent')])
  }
  const refused = it.entries().filter(({ entry_type }) => entry_type === 'keeper.decision')
  expect(refused).toHaveLength(3)
  expect(await other.run('approve', item)).toMatchObject({ code: 0 })
})
