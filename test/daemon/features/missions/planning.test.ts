import { describe, expect, it } from 'vitest'
import { askText, BadPlan, readPlan } from '../../../../daemon/features/missions/planning/rules.ts'
import type { Delegating } from '../../../support/delegating.ts'
import { crewWithLead, mission, pathOf, shown, states } from '../../../support/missions.ts'

const slugs = ['ada', 'bob', 'cleo']
const fenced = (plan: unknown) => `Here it is:\n\`\`\`json\n${JSON.stringify(plan)}\n\`\`\`\n`
const one = { id: 'a', title: 'Look', agent: 'bob' }

describe('a plan', () => {
  it('is read from the last fenced block, from bare JSON, or from JSON within prose', () => {
    const expected = [{ id: 'a', title: 'Look', description: null, agent: 'bob', depends_on: [] }]
    const example = '```json\n{"tasks": []}\n```\n'
    for (const answer of [
      example + fenced({ tasks: [one] }),
      JSON.stringify({ tasks: [one] }),
      `I plan ${JSON.stringify({ tasks: [one] })} and that is it.`,
      fenced([{ ...one, agent: '@bob' }]),
    ])
      expect(readPlan(answer, slugs)).toEqual(expected)
  })

  it.each([
    ['no JSON', 'I cannot plan this.', /no JSON/],
    ['nothing', null, /no JSON/],
    ['no tasks', fenced({ tasks: [] }), /at least one task/],
    ['500 tasks', fenced({ tasks: Array.from({ length: 500 }, (_, at) => ({ ...one, id: `t${at}` })) }), /500 tasks/],
    ['an agent of nowhere', fenced({ tasks: [{ ...one, agent: 'zoe' }] }), /"zoe", who is not in the crew/],
    ['two equal ids', fenced({ tasks: [one, one] }), /same id/],
    ['an unknown dependency', fenced({ tasks: [{ ...one, depends_on: ['z'] }] }), /"z", which is no task/],
    ['itself', fenced({ tasks: [{ ...one, depends_on: ['a'] }] }), /depends on itself/],
    [
      'a ring',
      fenced({
        tasks: [
          { ...one, depends_on: ['b'] },
          { ...one, id: 'b', depends_on: ['a'] },
        ],
      }),
      /depends on itself/,
    ],
    ['no title', fenced({ tasks: [{ id: 'a', agent: 'bob' }] }), /title of task 1/],
    ['a title of two lines', fenced({ tasks: [{ ...one, title: 'a\nb' }] }), /one line/],
    ['a long title', fenced({ tasks: [{ ...one, title: 'a'.repeat(201) }] }), /more than 200/],
    ['a task that is text', fenced({ tasks: ['Look'] }), /task 1 must be an object/],
    ['dependencies that are text', fenced({ tasks: [{ ...one, depends_on: 'b' }] }), /must be a list/],
    ['a title that turns the writing', fenced({ tasks: [{ ...one, title: 'a\u202eb' }] }), /direction of writing/],
    ['a title that nobody sees', fenced({ tasks: [{ ...one, title: '\u200b' }] }), /visible character/],
  ])('with %s is refused', (_, answer, why) => {
    expect(() => readPlan(answer, slugs)).toThrow(BadPlan)
    expect(() => readPlan(answer, slugs)).toThrow(why)
  })

  it('is looked for in one pass, whatever an agent writes', () => {
    const begun = performance.now()
    for (const junk of ['```\n', '```a\n~~~\n', '{', ' '.repeat(3)])
      expect(() => readPlan(junk.repeat(1_000_000 / junk.length), slugs)).toThrow(BadPlan)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  it('is asked for with all who are in the crew', () => {
    const mates = [{ slug: 'bob', name: 'Bob', role_title: 'Painter', agent_role: 'AGENT' }]
    const text = askText({ title: 'Relaunch', description: 'Make it new' }, mates, 'there is no JSON in it')
    expect(text).toMatch(/Relaunch.*Make it new.*- bob: Bob, Painter.*there is no JSON in it/s)
  })
})

const plan = (it: Delegating, id: string, body?: object) => it.call('OWNER', 'POST', `${pathOf(it, id)}/plan`, body)

async function answers(it: Delegating, id: string, words: string) {
  const run = it.app.db.prepare<[string], string>('SELECT plan_run_id FROM missions WHERE id = ?').pluck().get(id)!
  await it.says(run, words)
  await it.settled()
}

const good = fenced({
  tasks: [one, { id: 'b', title: 'Build', description: 'All of it', agent: 'ada', depends_on: ['a'] }],
})

describe('planning by the LEAD', () => {
  it('gives the mission its tasks and begins it as the policy allows', async () => {
    const it = await crewWithLead({ level: 'guided' })
    await it.call('OWNER', 'PATCH', `/agents/${it.bob}`, { slug: 'bob' })
    const id = await mission(it)
    const asked = await plan(it, id, { start: true })
    expect(asked).toMatchObject({ status: 202, body: { id, status: 'PLANNING', run_id: expect.any(String) } })
    expect(await shown(it, id)).toMatchObject({ planning: true })
    expect((await plan(it, id)).body).toMatchObject({ code: 'mission_planning' })
    await answers(it, id, good)
    expect(await shown(it, id)).toMatchObject({ status: 'IN_PROGRESS', planning: false, error_message: null })
    expect(await states(it, id)).toEqual({ Look: 'IN_PROGRESS', Build: 'PENDING' })
    const { rows } = (await it.call('OWNER', 'GET', '/inbox')).body
    expect(rows.map(({ title }: { title: string }) => title).join()).toContain('planned the mission "Relaunch"')
  })

  it('waits for people at the level strict', async () => {
    const it = await crewWithLead({ level: 'strict' })
    const id = await mission(it)
    await plan(it, id, { start: true })
    await answers(it, id, good)
    const held = await shown(it, id)
    expect(held).toMatchObject({ status: 'PLANNING', approval_id: expect.any(String) })
    const decided = { status: 'approved' }
    expect((await it.call('OWNER', 'POST', `/approvals/${held.approval_id}/decide`, decided)).status).toBe(200)
    await it.settled()
    expect(await shown(it, id)).toMatchObject({ status: 'IN_PROGRESS', approval_id: null })
  })

  it('stays in PLANNING with the reason when people do not approve', async () => {
    const it = await crewWithLead({ level: 'strict' })
    const id = await mission(it)
    await plan(it, id, { start: true })
    await answers(it, id, good)
    const { approval_id } = await shown(it, id)
    await it.call('OWNER', 'POST', `/approvals/${approval_id}/decide`, { status: 'denied', comment: 'Too much' })
    await it.settled()
    expect(await shown(it, id)).toMatchObject({
      status: 'PLANNING',
      approval_id: null,
      error_message: 'People did not approve the plan: Too much',
    })
  })

  it('begins with the plan that people saw, whatever they approved before', async () => {
    const it = await crewWithLead({ level: 'strict' })
    const id = await mission(it)
    const decide = (approval: string) =>
      it.call('OWNER', 'POST', `/approvals/${approval}/decide`, { status: 'approved' })
    await plan(it, id, { start: true })
    await answers(it, id, fenced({ tasks: [{ ...one, agent: 'ada' }] }))
    const first = (await shown(it, id)).approval_id
    await plan(it, id, { start: true })
    expect(await decide(first)).toMatchObject({ status: 409 })
    expect(await shown(it, id)).toMatchObject({ status: 'PLANNING', planning: true, approval_id: null })
    await answers(it, id, fenced({ tasks: [{ ...one, agent: 'ada', title: 'Another' }] }))
    const second = (await shown(it, id)).approval_id
    expect(await decide(first)).toMatchObject({ status: 409 })
    await it.settled()
    expect(await shown(it, id)).toMatchObject({ status: 'PLANNING', approval_id: second })
    const { rows } = (await it.call('OWNER', 'GET', '/approvals?status=pending')).body
    expect(rows).toMatchObject([{ id: second, mission_id: id }])
    await decide(second)
    await it.settled()
    expect(await states(it, id)).toEqual({ Another: 'IN_PROGRESS' })
  })

  it('leaves the tasks alone when a plan cannot be used', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [{ key: 'a', title: 'Old' }])
    await plan(it, id)
    const bad = { id: 'b', title: 'evil \u202e', agent: 'ada' }
    await answers(it, id, fenced({ tasks: [{ ...one, agent: 'ada' }, bad] }))
    expect(await shown(it, id)).toMatchObject({ planning: true, error_message: expect.stringContaining('direction') })
    expect(await states(it, id)).toEqual({ Old: 'PENDING' })
  })

  it('tells the LEAD what is wrong with its plan, three times in all', async () => {
    const it = await crewWithLead()
    const id = await mission(it, [{ key: 'a', title: 'Old' }])
    await plan(it, id)
    await answers(it, id, 'I do not know.')
    expect(await shown(it, id)).toMatchObject({ planning: true, error_message: 'there is no JSON in it' })
    const run = it.app.db.prepare('SELECT plan_run_id FROM missions WHERE id = ?').pluck().get(id) as string
    expect((await it.started(run)).spec.stdin).toContain('there is no JSON in it')
    await answers(it, id, 'Still not.')
    await answers(it, id, 'Never.')
    expect(await shown(it, id)).toMatchObject({ planning: false, status: 'PLANNING' })
    expect(await states(it, id)).toEqual({ Old: 'PENDING' })
    expect(it.entries().map(({ summary }) => summary)).toContain(
      'The mission "Relaunch" could not be planned: "there is no JSON in it"',
    )
  })

  it('ends with its run, and with the mission', async () => {
    const it = await crewWithLead()
    const id = await mission(it)
    const { body } = await plan(it, id)
    const program = await it.started(body.run_id)
    await it.call('OWNER', 'PATCH', pathOf(it, id), { status: 'CANCELLED' })
    it.runtime.finish(program, { kind: 'signal', signal: 'SIGTERM' })
    await it.runs.ended(body.run_id)
    await it.settled()
    expect(await shown(it, id)).toMatchObject({ status: 'CANCELLED', planning: false })
  })
})
