import { describe, expect, it } from 'vitest'
import { daemon, type TestDaemon } from '#test'
import { agentById } from '../../../../daemon/features/agents/service.ts'
import { delivered, skillsOf } from '../../../../daemon/features/skills/delivery/service.ts'
import { readSkill } from '../../../../daemon/features/skills/format.ts'
import { noteUsed } from '../../../../daemon/features/skills/uses/service.ts'
import { skillFile, skillText } from '../../../support/skills.ts'

/** A daemon with a crew, an agent and a skill. */
async function scene() {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.id })).body
  const skill = await add(it, 'greet')
  const run = { id: 'run1', workspace_id: it.workspace, crew_id: crew.id as string, agent_id: agent.id as string }
  return { it, agent: agent.id as string, skill, run }
}

const add = async (it: TestDaemon, name: string, files: object[] = []): Promise<string> =>
  (await it.call('OWNER', 'POST', `/workspaces/${it.workspace}/skills/import`, { content: skillText(name), files }))
    .body.skill_id
const entries = async (it: TestDaemon, type: string) =>
  (await it.call('OWNER', 'GET', `/journal?entry_type=${type}`)).body.entries as object[]

describe('skills of agents', () => {
  it('are given once, listed, counted and taken back, by either id', async () => {
    const { it, agent, skill } = await scene()
    const at = `/agents/${agent}/skills`
    const made = await it.call('MANAGER', 'POST', at, { skill_id: skill, config: '{}' })
    expect(made).toMatchObject({ status: 201, body: { id: expect.any(String) } })
    expect(await it.call('MANAGER', 'POST', at, { skill_id: 'greet' })).toMatchObject({
      status: 200,
      body: { id: made.body.id, already_assigned: true },
    })
    expect((await it.call('VIEWER', 'GET', at)).body).toMatchObject([
      { id: made.body.id, agent_id: agent, skill_id: skill, enabled: true, config: '{}', skill: { slug: 'greet' } },
    ])
    expect((await it.call('VIEWER', 'GET', `/agents/${agent}`)).body._count.skills).toBe(1)
    expect((await it.call('VIEWER', 'GET', '/skills/greet')).body).toMatchObject({
      agent_count: 1,
      installed_on: [{ agent_id: agent, agent_slug: 'ada', agent_name: 'Ada' }],
      usage: { invocations: 0 },
    })
    await add(it, 'other')
    for (const query of ['installed=1', `installed_for_agent_id=${agent}`])
      expect((await it.call('VIEWER', 'GET', `/skills?${query}`)).body).toMatchObject([{ slug: 'greet' }])
    const stranger = it.stranger()
    expect((await it.call(stranger, 'GET', '/skills/greet')).body).toMatchObject({ agent_count: 0, installed_on: [] })
    expect((await it.call(stranger, 'GET', `/skills?installed_for_agent_id=${agent}`)).body).toEqual([])
    expect((await it.call('MANAGER', 'DELETE', `${at}/${made.body.id}`)).status).toBe(204)
    expect((await it.call('MANAGER', 'DELETE', `${at}/${skill}`)).status).toBe(404)
    await it.call('MANAGER', 'POST', at, { skill_id: skill })
    expect((await it.call('MANAGER', 'DELETE', `${at}/${skill}`)).status).toBe(204)
    expect(await entries(it, 'skill.assigned')).toHaveLength(2)
    expect(await entries(it, 'skill.unassigned')).toMatchObject([
      { agent_id: agent, payload: { skill_id: skill, slug: 'greet' } },
      { payload: { skill_id: skill } },
    ])
  })

  it('say nothing of what agents of other workspaces have, also when agents of this one have it too', async () => {
    const { it, agent, skill } = await scene()
    const stranger = it.stranger()
    const eve = (await it.call(stranger, 'POST', '/agents', { name: 'Eve', slug: 'eve' })).body
    for (const [who, id] of [
      ['OWNER', agent],
      [stranger, eve.id],
    ] as const)
      expect((await it.call(who, 'POST', `/agents/${id}/skills`, { skill_id: skill })).status).toBe(201)
    expect((await it.call('OWNER', 'GET', `/skills?installed_for_agent_id=${eve.id}`)).body).toEqual([])
    expect((await it.call(stranger, 'GET', `/skills?installed_for_agent_id=${eve.id}`)).body).toHaveLength(1)
  })

  it('are shown with what a client draws agent and crew by', async () => {
    const { it, agent, run, skill } = await scene()
    await it.call('OWNER', 'POST', `/agents/${agent}/skills`, { skill_id: skill })
    await it.call('OWNER', 'PATCH', `/crews/${run.crew_id}`, { color: 'rose', icon: 'bug', avatar_style: 'thumbs' })
    await it.call('OWNER', 'PATCH', `/agents/${agent}`, { avatar_seed: 'seed', avatar_style: 'bottts' })
    const holder = async () => (await it.call('VIEWER', 'GET', '/skills?installed=1')).body[0].installed_on[0]
    expect(await holder()).toEqual({
      agent_id: agent,
      agent_slug: 'ada',
      agent_name: 'Ada',
      avatar_seed: 'seed',
      avatar_style: 'bottts',
      avatar_url: null,
      crew_id: run.crew_id,
      crew_slug: 'web',
      crew_name: 'Web',
      crew_color: 'rose',
      crew_icon: 'bug',
      crew_avatar_style: 'thumbs',
    })
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
    await it.call('OWNER', 'PUT', `/agents/${agent}/avatar`, { svg })
    const { avatar_url } = (await it.call('VIEWER', 'GET', `/agents/${agent}`)).body
    expect(avatar_url).toEqual(expect.any(String))
    expect((await holder()).avatar_url).toBe(avatar_url)
  })

  it('end with the skill, and with the agent', async () => {
    const { it, agent, skill } = await scene()
    await it.call('OWNER', 'POST', `/agents/${agent}/skills`, { skill_id: skill })
    await it.call('OWNER', 'DELETE', `/workspaces/${it.workspace}/skills/${skill}`)
    expect((await it.call('OWNER', 'GET', `/agents/${agent}/skills`)).body).toEqual([])
    const again = await add(it, 'again')
    await it.call('OWNER', 'POST', `/agents/${agent}/skills`, { skill_id: again })
    await it.call('OWNER', 'DELETE', `/agents/${agent}`)
    expect((await it.call('OWNER', 'GET', '/skills/again')).body.installed_on).toEqual([])
  })

  it('are limited in number and bytes', async () => {
    const { it, agent } = await scene()
    const large = Array.from({ length: 3 }, (_, n) => skillFile(`f${n}`, Buffer.alloc(500 * 1024, 65)))
    const give = async (name: string, files?: object[]) =>
      (await it.call('OWNER', 'POST', `/agents/${agent}/skills`, { skill_id: await add(it, name, files) })).body.code
    for (const name of ['large-1', 'large-2']) expect(await give(name, large)).toBeUndefined()
    expect(await give('large-3', large)).toBe('skills_full')
    for (let n = 2; n < 50; n++) expect(await give(`small-${n}`)).toBeUndefined()
    expect(await give('small-50')).toBe('skills_full')
  })

  it('are put into the files of a run, with what stands beside them', async () => {
    const { it, agent } = await scene()
    const id = await add(it, 'with-files', [skillFile('scripts/run.sh', 'echo hi', true)])
    await it.call('OWNER', 'POST', `/agents/${agent}/skills`, { skill_id: id })
    expect(agentById(it.app, agent)?.id).toBe(agent)
    expect(skillsOf(it.app, agent)).toEqual([
      {
        slug: 'with-files',
        files: [
          { path: 'SKILL.md', content: expect.stringContaining('name: with-files'), executable: false },
          { path: 'scripts/run.sh', content: Buffer.from('echo hi'), executable: true },
        ],
      },
    ])
  })

  it('tell clients name and description alone, and run nothing while they are loaded', () => {
    const content = skillText(
      'My Skill',
      { hooks: '{Stop: [{hooks: [{type: command, command: touch /tmp/x}]}]}', 'allowed-tools': 'Bash' },
      'Before !`touch /tmp/y` after.\n```!\ntouch /tmp/z\n```\n',
    )
    expect(delivered({ ...readSkill(content), slug: 'my-skill', content })).toBe(
      '---\nname: my-skill\ndescription: "Fills forms. Use when somebody asks for a filled form."\n---\n\n' +
        'Before  after.\n```\ntouch /tmp/z\n```\n',
    )
  })

  it.each([
    ['Skill', { skill: 'muster:greet' }, 1],
    ['activate_skill', { name: 'greet' }, 1],
    ['shell', { command: 'cat /run/skills/greet/SKILL.md' }, 1],
    ['Skill', { skill: 'other' }, 0],
    ['shell', { command: 'ls' }, 0],
  ])('are counted once a run: %s %j', async (tool_name, input, times) => {
    const { it, agent, skill, run } = await scene()
    await it.call('OWNER', 'POST', `/agents/${agent}/skills`, { skill_id: skill })
    const parts = [
      { type: 'tool_call', tool_name, tool_id: 't', metadata: { input } },
      { type: 'tool_result', tool_id: 't', metadata: { exit_code: 3 } },
      { type: 'tool_call', tool_name, tool_id: 'u', metadata: { input } },
    ]
    it.app.writeNow(() => noteUsed(it.app, run, parts))
    const counted = { skill_id: skill, skill_slug: 'greet', tool_name, exit_code: 3, usage_count: 1 }
    expect(await entries(it, 'skill.invoked')).toMatchObject(times ? [{ agent_id: agent, payload: counted }] : [])
    expect((await it.call('OWNER', 'GET', '/skills/greet')).body.usage.invocations).toBe(times)
  })
})
