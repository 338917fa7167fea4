import { describe, expect, it } from 'vitest'
import { issuesOf } from '../../support/issues.ts'
import { workplace } from '../../support/runs.ts'

const place = async () => issuesOf(await workplace())

describe('a comment that mentions an agent', () => {
  it('wakes it, and its last words become its comment', async () => {
    const it = await place()
    const identifier = await it.open({ title: 'Slow start', description: 'Ten seconds' })
    await it.say(identifier, 'Since yesterday')
    expect((await it.say(identifier, 'What do you think, @ada?\nMuster: stop')).status).toBe(201)
    const program = await it.runtime.program()
    const words = ['The MEMBER mentions you in a comment on issue BAC-1', '> What do you think, @ada?\n> Muster: stop']
    for (const text of [...words, '> Slow start', '> Ten seconds', '> Since yesterday'])
      expect(program.spec.stdin.split(text)).toHaveLength(2)
    const [run] = await it.runsOf(identifier)
    expect(await it.read(identifier)).toMatchObject({ status: 'BACKLOG', session_status: 'running' })
    await it.ends(run.id, program, 'It is the disk.')
    expect((await it.comments(identifier)).slice(1)).toEqual([
      ['user', 'The MEMBER', 'What do you think, @ada?\nMuster: stop'],
      ['agent', 'Agent ada', 'It is the disk.'],
    ])
    expect(await it.read(identifier)).toMatchObject({ status: 'BACKLOG', session_status: 'idle' })
    expect(await it.events(identifier)).toContainEqual(['mentioned', it.agentId])
    const { body } = await it.call('OWNER', 'GET', '/journal?entry_type=agent.mentioned')
    expect(body.entries[0]).toMatchObject({
      agent_id: it.agentId,
      summary: 'The MEMBER mentioned Agent ada in a comment on issue BAC-1: "Slow start"',
    })
    expect(await it.inbox('MEMBER')).toEqual([])
  })

  it('is told the issue once', async () => {
    const it = await place()
    const identifier = await it.open({ description: 'Ten seconds' })
    await it.say(identifier, '@ada?')
    await it.ends((await it.runsOf(identifier))[0].id, await it.runtime.program(), 'Yes.')
    await it.say(identifier, '@ada, sure?')
    const { stdin } = (await it.runtime.program(1)).spec
    expect(stdin).toContain('> @ada, sure?')
    expect(stdin).not.toContain('Ten seconds')
  })

  it.each([
    ['a link of a client', (id: string) => `[@whoever](app:agent/${id}) look`, 1],
    ['upper case', () => '@ADA look', 1],
    ['the same one twice', (id: string) => `@ada and [@ada](app:agent/${id})`, 1],
    ['code', () => '`@ada` look', 0],
    ['an address', () => 'mail ada@ada.example', 0],
    ['somebody unknown', () => '@nobody look', 0],
  ])('finds it in %s', async (_, text, count) => {
    const it = await place()
    const identifier = await it.open()
    await it.say(identifier, text(it.agentId))
    expect(await it.runsOf(identifier)).toHaveLength(count)
    expect(await it.inbox('MEMBER')).toEqual([])
  })

  it('wakes no agent when an agent says it', async () => {
    const it = await place()
    await it.mate('bob')
    const { identifier, run, program } = await it.started()
    await it.ends(run, program, 'Done. @bob and @ada should know.')
    expect(await it.runsOf(identifier)).toHaveLength(1)
  })

  it('reaches an agent at work with its next turn, before which the issue is not reviewed', async () => {
    const it = await place()
    const { identifier, run, program } = await it.started()
    await it.say(identifier, '@ada mind the tests')
    expect(await it.runsOf(identifier)).toHaveLength(1)
    await it.ends(run, program, 'Done.')
    expect(await it.read(identifier)).toMatchObject({ status: 'IN_PROGRESS', session_status: 'running' })
    const next = await it.runtime.program(1)
    expect(next.spec.stdin).toContain('> @ada mind the tests')
    await it.ends((await it.runsOf(identifier))[0].id, next, 'Tests are there.')
    expect(await it.read(identifier)).toMatchObject({ status: 'REVIEW', comment_count: 3 })
  })

  it('leaves an issue to its agent when it wakes another one', async () => {
    const it = await place()
    await it.mate('bob')
    const { identifier, run, program } = await it.started()
    await it.say(identifier, '@bob what do you know?')
    const [bobs] = await it.runsOf(identifier)
    await it.ends(bobs.id, await it.runtime.program(1), 'Nothing.')
    expect(await it.read(identifier)).toMatchObject({ status: 'IN_PROGRESS', session_status: 'running' })
    await it.ends(run, program, 'Done.')
    expect(await it.read(identifier)).toMatchObject({ status: 'REVIEW' })
  })

  it('tells its author whom it did not reach, and why', async () => {
    const it = await place()
    const bob = await it.mate('bob')
    await it.call('OWNER', 'PATCH', `/agents/${bob}`, { crew_id: null })
    const foreign = await it.stranger()
    const mary = (await it.call(foreign, 'POST', '/agents', { name: 'Mary', slug: 'mary' })).body.id
    const identifier = await it.open()
    const said = await it.say(identifier, `@ada, @bob and [@mary](app:agent/${mary})`)
    expect(said.status).toBe(201)
    expect((await it.runsOf(identifier)).map(({ agent_name }: { agent_name: string }) => agent_name)).toEqual([
      'Agent ada',
    ])
    const [item] = await it.inbox('MEMBER')
    expect(item).toMatchObject({
      title: `Your comment on ${identifier} did not reach everybody that it mentions`,
      body_md: expect.stringContaining('- Agent bob (@bob): '),
      payload: { subkind: 'undelivered_mention', issue_identifier: identifier, comment_id: said.body.id },
    })
    expect(item!['body_md']).toContain(mary)
    expect(item!['body_md']).not.toMatch(/mary\b.*Mary/i)
  })

  it('wakes a few agents at most', async () => {
    const it = await place()
    const slugs = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6']
    for (const slug of slugs) await it.mate(slug)
    const identifier = await it.open()
    await it.say(identifier, slugs.map((slug) => `@${slug}`).join(' '))
    expect(await it.runsOf(identifier)).toHaveLength(5)
    expect((await it.inbox('MEMBER'))[0]!['body_md']).toBe('- Agent b6 (@b6): a comment wakes 5 agents')
  })

  it('takes 20,000 characters full of names', async () => {
    const it = await place()
    const identifier = await it.open()
    const text = Array.from({ length: 3000 }, (_, n) => `@x${n}`)
      .join(' ')
      .slice(0, 19_990)
    expect((await it.say(identifier, `@ada ${text}`)).status).toBe(201)
    expect(await it.runsOf(identifier)).toHaveLength(1)
  })

  it('of a review wakes agents as well', async () => {
    const it = await place()
    await it.mate('bob')
    const { identifier, run, program } = await it.started()
    await it.ends(run, program, 'Done.')
    const review = { action: 'request_changes', comment: '@bob can you help?' }
    expect((await it.call('MANAGER', 'POST', `${it.path}/${identifier}/review`, review)).status).toBe(200)
    expect((await it.runsOf(identifier))[0]).toMatchObject({ agent_name: 'Agent bob', status: 'RUNNING' })
    expect(await it.read(identifier)).toMatchObject({ status: 'TODO' })
  })
})
