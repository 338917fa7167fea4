import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

const steps = [
  { id: 'build', title: 'Build it', agent_role: 'developer' },
  { id: 'test', title: 'Test it', depends_on: ['build'], max_iterations: 3, loop_back_to: 'build' },
]

async function scene() {
  const it = await daemon()
  const create = (body: object) => it.call('MANAGER', 'POST', '/templates', body)
  const plan = async () => (await create({ name: 'Ours', template_json: { steps } })).body.id as string
  const list = async () => (await it.call('VIEWER', 'GET', '/templates')).body
  const change = (id: string, body: object) => it.call('MANAGER', 'PATCH', `/templates/${id}`, body)
  return { ...it, create, plan, list, change }
}

describe('step plans', () => {
  it('are at first the four that come with Muster, once, however many ask at once', async () => {
    const it = await scene()
    const told = (rows: { name: string; icon: string; color: string }[]) =>
      rows.map(({ name, icon, color }) => [name, icon, color])
    const expected = [
      ['dev-test-loop', 'repeat', '#f59e0b'],
      ['parallel', 'git-branch', '#22c55e'],
      ['pipeline', 'git-merge', '#8b5cf6'],
      ['sequential', 'arrow-right', '#3b82f6'],
    ]
    for (const rows of await Promise.all([it.list(), it.list()])) expect(told(rows)).toEqual(expected)
  })

  it('that come with Muster could be made by people', async () => {
    const it = await scene()
    for (const { name, template_json } of await it.list())
      expect(await it.create({ name: `own ${name}`, template_json })).toMatchObject({ status: 201 })
  })

  it('are objects both ways', async () => {
    const it = await scene()
    const made = await it.create({ name: 'Ours', template_json: { steps, more: 1 } })
    expect(made).toMatchObject({ status: 201, body: { id: expect.any(String) } })
    expect((await it.call('VIEWER', 'GET', `/templates/${made.body.id}`)).body).toMatchObject({
      workspace_id: it.workspace,
      name: 'Ours',
      is_builtin: false,
      template_json: { name: 'Ours', description: '', steps },
    })
    expect((await it.list()).at(-1).name).toBe('Ours')
  })

  it.each([
    ['no steps', { steps: [] }],
    ['an id twice', { steps: [steps[0], steps[0]] }],
    ['an empty title', { steps: [{ id: 'a', title: ' ' }] }],
    ['an id with blanks', { steps: [{ id: 'a b', title: 'A' }] }],
    ['an unknown dependency', { steps: [{ id: 'a', title: 'A', depends_on: ['b'] }] }],
    ['itself as dependency', { steps: [{ id: 'a', title: 'A', depends_on: ['a'] }] }],
    [
      'a circle',
      {
        steps: [
          { id: 'a', title: 'A', depends_on: ['b'] },
          { id: 'b', title: 'B', depends_on: ['a'] },
        ],
      },
    ],
    ['a loop to itself', { steps: [{ id: 'a', title: 'A', loop_back_to: 'a' }] }],
    ['a loop to what is no step', { steps: [{ id: 'a', title: 'A', loop_back_to: 'x' }] }],
    [
      'a loop onwards',
      {
        steps: [
          { id: 'a', title: 'A', loop_back_to: 'b' },
          { id: 'b', title: 'B' },
        ],
      },
    ],
    ['too many steps', { steps: Array.from({ length: 101 }, (_, n) => ({ id: `${n}`, title: 'A' })) }],
    ['too many rounds', { steps: [{ id: 'a', title: 'A', max_iterations: 101 }] }],
    [
      'too many bytes',
      {
        description: 'ä'.repeat(5000),
        steps: Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, title: '名'.repeat(200) })),
      },
    ],
    ['text', JSON.stringify({ steps })],
  ])('are refused with %s', async (_, template_json) => {
    const it = await scene()
    const refused = await it.create({ name: 'x', template_json })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
    expect(refused.body.field).toMatch(/^template_json/)
    expect((await it.change(await it.plan(), { template_json })).status).toBe(400)
  })

  it('name what waits for each other', async () => {
    const it = await scene()
    const of = (id: string, ...depends_on: string[]) => ({ id, title: id, depends_on })
    const { body } = await it.create({ name: 'x', template_json: { steps: [of('a'), of('b', 'c'), of('c', 'b')] } })
    expect(body.detail).toBe('template_json has steps that wait for each other: b, c')
  })

  it('change what is given, and clear what is empty', async () => {
    const it = await scene()
    const id = await it.plan()
    const read = async () => (await it.call('VIEWER', 'GET', `/templates/${id}`)).body
    expect(await it.change(id, { icon: 'x', color: '#123', name: null })).toMatchObject({ status: 200, body: { id } })
    expect(await read()).toMatchObject({ icon: 'x', color: '#123', name: 'Ours' })
    await it.change(id, { icon: '', color: '', template_json: { steps: [steps[0]] } })
    expect(await read()).toMatchObject({ icon: null, color: null, template_json: { steps: [steps[0]] } })
    expect(await it.change(id, {})).toMatchObject({ status: 400, body: { code: 'no_fields' } })
  })

  it('have names of their own; workflow templates have others', async () => {
    const it = await scene()
    await it.plan()
    const taken = { status: 409, body: { code: 'name_taken' } }
    for (const name of ['ours', 'Pipeline'])
      expect(await it.create({ name, template_json: { steps } })).toMatchObject(taken)
    expect((await it.create({ name: 'Standard', template_json: { steps } })).status).toBe(201)
  })

  it('that come with Muster stay as they are', async () => {
    const it = await scene()
    const [{ id }] = await it.list()
    const refused = { status: 403, body: { code: 'builtin_kept' } }
    expect(await it.change(id, { icon: 'x' })).toMatchObject(refused)
    expect(await it.call('OWNER', 'DELETE', `/templates/${id}`)).toMatchObject(refused)
  })

  it('are in the journal, and gone once deleted', async () => {
    const it = await scene()
    const id = await it.plan()
    await it.change(id, { icon: 'x' })
    expect((await it.call('MANAGER', 'DELETE', `/templates/${id}`)).status).toBe(204)
    expect((await it.call('VIEWER', 'GET', `/templates/${id}`)).status).toBe(404)
    const { entries } = (await it.call('OWNER', 'GET', '/journal?limit=3')).body
    expect(entries.map(({ summary }: { summary: string }) => summary.replace(/ by .*/, ''))).toEqual([
      'Step plan Ours was deleted',
      'Step plan Ours was changed',
      'Step plan Ours was created',
    ])
  })
})
