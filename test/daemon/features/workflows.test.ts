import { describe, expect, it } from 'vitest'
import { mostTemplates } from '#contract/workflows'
import { daemon } from '#test'

const stages = [
  { name: 'Todo', type: 'open', position: 1 },
  { name: 'Doing', type: 'started', position: 2, color: '#123' },
  { name: 'Done', type: 'completed', position: 3 },
]
const text = (value: unknown) => JSON.stringify(value)

async function scene() {
  const it = await daemon()
  const create = (body: object) => it.call('MANAGER', 'POST', '/workflow-templates', body)
  const ours = async () => (await create({ name: 'Ours', template_json: text(stages) })).body
  const list = async () => (await it.call('VIEWER', 'GET', '/workflow-templates')).body
  const change = (id: string, body: object) => it.call('MANAGER', 'PATCH', `/workflow-templates/${id}`, body)
  return { ...it, create, ours, list, change }
}

describe('workflow templates', () => {
  it('are at first the one that comes with Muster, once, however many ask at once', async () => {
    const it = await scene()
    const lists = await Promise.all([it.list(), it.list(), it.list()])
    for (const rows of [...lists, await it.list()])
      expect(rows).toEqual([expect.objectContaining({ name: 'Standard', is_builtin: true, icon: 'list-checks' })])
    expect(JSON.parse(lists[0][0].template_json)).toEqual([
      { name: 'Backlog', type: 'open', position: 1 },
      { name: 'In progress', type: 'started', position: 2 },
      { name: 'Review', type: 'started', position: 3 },
      { name: 'Done', type: 'completed', position: 4 },
      { name: 'Cancelled', type: 'cancelled', position: 5 },
    ])
  })

  it('are stored anew, and stand behind those that come with Muster', async () => {
    const it = await scene()
    const template_json = text([
      { ...stages[0], name: ' Todo ', more: 1 },
      { ...stages[1] },
      { ...stages[2], color: '' },
    ])
    const made = await it.create({ name: ' Ours ', template_json, description: '', color: '#abc' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'Ours',
      description: null,
      template_json: text(stages),
      icon: null,
      color: '#abc',
      is_builtin: false,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    })
    expect((await it.list()).map(({ name }: { name: string }) => name)).toEqual(['Standard', 'Ours'])
    expect((await it.call('VIEWER', 'GET', `/workflow-templates/${made.body.id}`)).body).toEqual(made.body)
  })

  it.each([
    ['no JSON', 'no'],
    ['an object', '{}'],
    ['no stage', '[]'],
    ['a stage that is none', '[1]'],
    ['no open stage', text(stages.slice(1))],
    ['two open stages', text([...stages, { name: 'X', type: 'open', position: 9 }])],
    ['no completed stage', text(stages.slice(0, 2))],
    ['the same name twice', text([...stages, { name: 'done', type: 'started', position: 9 }])],
    ['the same position twice', text([...stages, { name: 'X', type: 'started', position: 3 }])],
    ['a blank name', text([...stages, { name: ' ', type: 'started', position: 9 }])],
    ['a name of two lines', text([...stages, { name: 'a\nb', type: 'started', position: 9 }])],
    ['an unknown type', text([...stages, { name: 'X', type: 'paused', position: 9 }])],
    ['position 0', text([...stages, { name: 'X', type: 'started', position: 0 }])],
    ['position 1.5', text([...stages, { name: 'X', type: 'started', position: 1.5 }])],
    ['a color that is none', text([...stages, { name: 'X', type: 'started', position: 9, color: 'red' }])],
    [
      '51 stages',
      text([...stages, ...Array.from({ length: 48 }, (_, n) => ({ name: `${n}`, type: 'started', position: n + 9 }))]),
    ],
  ])('are refused with %s, in one sentence', async (_, template_json) => {
    const it = await scene()
    const refused = await it.create({ name: 'x', template_json })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', field: 'template_json' } })
    expect(refused.body.detail).toMatch(/^template_json [^\n]+$/)
    const { id } = await it.ours()
    expect((await it.change(id, { template_json })).status).toBe(400)
  })

  it.each([
    [{ name: ' ' }, 'name'],
    [{ color: 'red' }, 'color'],
    [{ icon: 'a\nb' }, 'icon'],
  ])('refuse %j, new and old', async (wrong, field) => {
    const it = await scene()
    const expected = { status: 400, body: { code: 'invalid_field', field } }
    expect(await it.create({ name: 'x', template_json: text(stages), ...wrong })).toMatchObject(expected)
    expect(await it.change((await it.ours()).id, wrong)).toMatchObject(expected)
  })

  it('change what is given and not null, and clear what is empty', async () => {
    const it = await scene()
    const { id } = await it.ours()
    const full = { description: 'x', icon: 'y', color: '#123' }
    expect((await it.change(id, { ...full, name: null })).body).toMatchObject({ ...full, name: 'Ours' })
    const empty = { description: '', icon: '', color: '' }
    const cleared = { description: null, icon: null, color: null }
    expect((await it.change(id, empty)).body).toMatchObject(cleared)
    for (const none of [{}, { name: null }, { is_builtin: true }])
      expect(await it.change(id, none)).toMatchObject({ status: 400 })
  })

  it('are listed by the time they were made, and say when they were changed', async () => {
    const it = await scene()
    const { id, created_at } = await it.ours()
    it.clock.advance(1000)
    await it.create({ name: 'A later one', template_json: text(stages) })
    it.clock.advance(1000)
    const changed = (await it.change(id, { name: 'Renamed', id: 'mine', created_at: 'x', is_builtin: true })).body
    expect(changed).toMatchObject({ id, created_at, is_builtin: false, updated_at: '2026-01-01T00:00:02Z' })
    const names = (await it.list()).map(({ name }: { name: string }) => name)
    expect(names).toEqual(['Standard', 'Renamed', 'A later one'])
  })

  it.each([
    [{}, 'name'],
    [{ name: 'x' }, 'template_json'],
    [{ template_json: text(stages) }, 'name'],
    [{ name: 'x', template_json: stages }, 'template_json'],
  ])('need a name and a text of stages: %j lacks %s', async (body, field) => {
    const it = await scene()
    expect(await it.create(body)).toMatchObject({ status: 400, body: { field } })
    expect((await it.list()).length).toBe(1)
  })

  it('have names of their own, whatever the case', async () => {
    const it = await scene()
    const taken = { status: 409, body: { code: 'name_taken' } }
    expect(await it.create({ name: 'standard', template_json: text(stages) })).toMatchObject(taken)
    const { id } = await it.ours()
    expect(await it.create({ name: 'OURS', template_json: text(stages) })).toMatchObject(taken)
    expect(await it.change(id, { name: 'Standard' })).toMatchObject(taken)
  })

  it('that come with Muster stay as they are', async () => {
    const it = await scene()
    const [{ id }] = await it.list()
    const refused = { status: 403, body: { code: 'builtin_kept' } }
    expect(await it.change(id, { icon: 'x' })).toMatchObject(refused)
    expect(await it.call('OWNER', 'DELETE', `/workflow-templates/${id}`)).toMatchObject(refused)
  })

  it('tell clients and the journal', async () => {
    const it = await scene()
    const heard: string[] = []
    it.app.bus.on('broadcast', ({ type, payload }) => heard.push(`${type} ${Object.keys(payload)}`))
    const { id } = await it.ours()
    await it.change(id, { icon: 'x' })
    expect((await it.call('MANAGER', 'DELETE', `/workflow-templates/${id}`)).status).toBe(204)
    expect((await it.call('MANAGER', 'GET', `/workflow-templates/${id}`)).status).toBe(404)
    expect(heard.filter((it) => it.startsWith('workflow'))).toEqual([
      'workflow_template.created id',
      'workflow_template.updated id',
      'workflow_template.deleted id',
    ])
    const { entries } = (await it.call('OWNER', 'GET', '/journal?entry_type=audit.entity_deleted')).body
    expect(entries[0].summary).toContain('Workflow template Ours was deleted by')
  })

  it('are so many at most', async () => {
    const it = await scene()
    const make = (n: number) => it.create({ name: `n${n}`, template_json: text(stages) })
    for (let n = 0; n < mostTemplates; n++) expect((await make(n)).status).toBe(201)
    expect(await make(mostTemplates)).toMatchObject({ status: 409, body: { code: 'templates_full' } })
  })
})
