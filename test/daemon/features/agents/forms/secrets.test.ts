import { expect, it } from 'vitest'
import { secretWarnings } from '../../../../../daemon/features/agents/forms/secrets.ts'
import { cliFor } from '../../../../support/cli.ts'
import { workplace } from '../../../../support/runs.ts'

const formOf = (type: string) =>
  JSON.stringify([{ id: 'login', label: 'Login', template: '{{key}}', fields: [{ name: 'key', label: 'Key', type }] }])

it.each([
  ['password', 1],
  ['Passphrase', 1],
  ['secret', 1],
  ['token', 1],
  ['api_key', 1],
  ['apikey', 1],
  ['credential', 1],
  ['pin', 1],
  ['text', 0],
  ['keyword', 0],
  ['pinned', 0],
  ['file', 0],
])('a field of the kind %s: %i warnings', (type, count) => expect(secretWarnings(formOf(type))).toHaveLength(count))

it('is told to whoever stores the form, and nobody else; the form is stored as it is', async () => {
  const it = await workplace()
  const path = `/agents/${it.agentId}`
  const { status, body } = await it.call('OWNER', 'PATCH', path, { ask_forms: formOf('password') })
  expect([status, body.warnings]).toEqual([
    200,
    [expect.stringMatching(/^The field "key" of the form "login" has the type "password", which hides nothing:/)],
  ])
  expect(JSON.parse(body.ask_forms)[0].fields[0]).toMatchObject({ name: 'key', type: 'password' })
  expect((await it.call('OWNER', 'GET', path)).body.warnings).toBeUndefined()
  expect((await it.call('OWNER', 'PATCH', path, { name: 'Ada L.' })).body.warnings).toBeUndefined()
  const cli = await cliFor(it, 'OWNER')
  const { code, stderr } = await cli.run('agents', 'update', 'ada', '--ask-forms', formOf('token'))
  expect([code, stderr]).toEqual([0, expect.stringContaining('has the type "token", which hides nothing')])
})
