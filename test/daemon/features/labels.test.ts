import { expect, it } from 'vitest'
import { daemon } from '#test'

const bug = { name: 'bug', color: '#e11d48' }

it('are listed by name, with their color and group', async () => {
  const it = await daemon()
  await it.call('MANAGER', 'POST', '/labels', { name: 'web', color: '#06f', label_group: 'area' })
  const made = await it.call('MANAGER', 'POST', '/labels', bug)
  expect(made).toMatchObject({ status: 201, body: { ...bug, label_group: null, id: expect.any(String) } })
  const { body } = await it.call('VIEWER', 'GET', '/labels')
  expect(body.map((label: { name: string }) => label.name)).toEqual(['bug', 'web'])
})

it('have names of their own, whatever the case', async () => {
  const it = await daemon()
  await it.call('OWNER', 'POST', '/labels', bug)
  const second = await it.call('OWNER', 'POST', '/labels', { ...bug, name: ' BUG ' })
  expect(second).toMatchObject({ status: 409, body: { code: 'name_taken', field: 'name' } })
  const other = (await it.call('OWNER', 'POST', '/labels', { ...bug, name: 'web' })).body.id
  const renamed = await it.call('OWNER', 'PATCH', `/labels/${other}`, { name: 'Bug' })
  expect(renamed).toMatchObject({ status: 409, body: { code: 'name_taken' } })
  expect((await it.call('OWNER', 'GET', '/labels')).body).toMatchObject([bug, { name: 'web' }])
})

it.each(['red', '#12', '#12345', '#1234567', '#gggggg', ''])('take no color %j', async (color) => {
  const it = await daemon()
  const refused = await it.call('OWNER', 'POST', '/labels', { name: 'bug', color })
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', field: 'color' } })
})

it.each(['', '   ', '\u200b', 'x'.repeat(51), 'a\nb'])('take no name %j', async (name) => {
  const it = await daemon()
  const refused = await it.call('OWNER', 'POST', '/labels', { name, color: '#123' })
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_field', field: 'name' } })
})

it('change in what is named alone, and are journaled', async () => {
  const it = await daemon()
  const { id } = (await it.call('OWNER', 'POST', '/labels', { ...bug, label_group: 'kind' })).body
  const path = `/labels/${id}`
  expect((await it.call('ADMIN', 'PATCH', path, { color: '#123456' })).body).toMatchObject({
    name: 'bug',
    color: '#123456',
    label_group: 'kind',
  })
  expect((await it.call('ADMIN', 'PATCH', path, { label_group: '' })).body.label_group).toBe(null)
  expect(await it.call('ADMIN', 'PATCH', path, {})).toMatchObject({ status: 400, body: { code: 'no_fields' } })
  expect((await it.call('ADMIN', 'DELETE', path)).status).toBe(204)
  expect((await it.call('ADMIN', 'DELETE', path)).status).toBe(404)
  const told = it.entries().filter(({ payload }) => payload?.['entity_type'] === 'label')
  const admin = it.person('ADMIN').email
  expect(told.map(({ summary }) => summary)).toEqual([
    `Label bug was created by ${it.person('OWNER').email}`,
    `Label bug was changed by ${admin}: color`,
    `Label bug was changed by ${admin}: label_group`,
    `Label bug was deleted by ${admin}`,
  ])
})
