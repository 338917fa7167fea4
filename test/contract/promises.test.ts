import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { roles } from '#contract/roles'
import { addPerson, daemon } from '#test'

const nobody = 'cnone00000000000000000000'
/**
 * An unknown and a foreign chat answer as an empty one: docs/rules/chats.md, "Chats and messages". A crew template is
 * made under the slug that it is stored under. The slots of evaluators are fixed: a word that is none is a bad value.
 */
const looksEmpty = new Set(['chats.messages', 'templates.save', 'keeper.setAux', 'keeper.resetSlot', 'keeper.probe'])
/** What is not there is removed already: docs/rules/people.md, "Preferences". */
const alwaysDone = new Set(['preferences.remove'])
/** Without a key for the provider nothing is asked, and nobody can say what is there. */
const withoutKey = new Set(['managed.revokeAccount', 'managed.refreshAccount', 'managed.removeAccount'])
/** For what is refused before it changes anything. */
const common = daemon({ shared: true })
const strict = daemon({ shared: true, config: { rateLimitDisabled: false, authPerMinute: 1, apiPerMinute: 1 } })
const changing = (method: string) => method !== 'GET'

describe.each(endpoints)('$name', ({ endpoint, name }) => {
  const { method, path, access } = endpoint
  const asks =
    endpoint.body !== undefined || ((endpoint.query as { required?: string[] } | undefined)?.required ?? []).length > 0
  const inWorkspace = roles.includes(access as 'OWNER')
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
  const filled = (workspace: string) =>
    path.replace(/:(\w+)/g, (_, parameter) => (parameter === 'workspaceId' ? workspace : nobody))

  it('is named by a verb', () => expect(name).toMatch(/^[a-z]+\.[a-z][A-Za-z]*$/))
  it('has a summary that reads as a line of help', () => expect(endpoint.summary).toMatch(/^[A-Z][^\n]{5,120}[^.]$/))
  it('says what it answers', () =>
    expect(Boolean(endpoint.reply) || endpoint.status === 204 || endpoint.kind !== undefined).toBe(true))
  it.skipIf(!names.length || looksEmpty.has(name))('may answer 404', () =>
    expect(endpoint.throws).toContain('not_found'),
  )
  it.skipIf(!changing(method))('says what it leaves in the journal', () => expect(endpoint.journal).toBeDefined())

  it.skipIf(!(changing(method) && inWorkspace))(
    'names the scope that a scoped token needs, and asks for it',
    async () => {
      expect(endpoint.scope).toBeDefined()
      const { call, app, workspace } = await common
      const other = endpoint.scope!.startsWith('skills') ? 'crews:write' : 'skills:write'
      const narrow = app.writeNow(() => addPerson(app, 'OWNER', workspace, { scopes: [other] }))
      const { body } = await call(narrow, method, filled(workspace), endpoint.body ? {} : undefined)
      expect(body).toMatchObject({ status: 403, code: 'insufficient_scope' })
    },
  )

  it.skipIf(
    !names.some((parameter) => parameter !== 'workspaceId') ||
      asks ||
      endpoint.kind === 'stream' ||
      looksEmpty.has(name) ||
      alwaysDone.has(name) ||
      withoutKey.has(name),
  )('answers 404 for what does not exist', async () => {
    const { call, workspace } = await common
    expect((await call('OWNER', method, filled(workspace))).body).toMatchObject({ status: 404 })
  })

  it.skipIf(access === 'internal' || endpoint.rate === 'none' || endpoint.kind === 'stream')(
    'draws on its bucket',
    async () => {
      const { call } = await strict
      // From an address of its own, which has a bucket of its own.
      const n = endpoints.findIndex((it) => it.name === name)
      const from = { 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}` }
      const ask = async () =>
        (await call(null, method, filled(nobody), changing(method) ? '{' : undefined, from)).status
      const first = await ask()
      expect([first, await ask()]).toEqual([expect.not.toBeOneOf([429]), 429])
    },
  )
})
