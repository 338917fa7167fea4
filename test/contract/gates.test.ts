import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { roles } from '#contract/roles'
import { addPerson, daemon } from '#test'
import { staleBrowser } from '../support/browser.ts'
import { gates } from './gates.ts'

const byName = new Map(endpoints.map(({ name, endpoint }) => [name, endpoint]))
const nobody = 'cnone00000000000000000000'
/** Members remove themselves, whatever their role; removing others is tested with the feature. */
const ownOnly = new Set(['members.remove'])
/** What gets through changes nothing that another test reads, so one daemon serves all. */
const common = daemon({ shared: true })
const strict = daemon({ shared: true, config: { rateLimitDisabled: false, authPerMinute: 1, apiPerMinute: 1000 } })
const isRole = (access: string) => roles.includes(access as 'OWNER')
const allScopes = ['agents:*', 'crews:*', 'credentials:*', 'skills:*', 'webhooks:*', 'workspace:*']
const address = (path: string, workspace: string) =>
  path.replace(/:(\w+)/g, (_, name) => (name === 'workspaceId' ? workspace : nobody))

const stale = common.then((it) =>
  staleBrowser(
    it,
    it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace)),
  ),
)

it('has a row for every operation, and no other', () =>
  expect(gates.map(({ name }) => name).sort()).toEqual([...byName.keys()].sort()))

describe.each(gates.flatMap((gate) => (byName.has(gate.name) ? [{ ...gate, endpoint: byName.get(gate.name)! }] : [])))(
  '$name',
  ({ endpoint, ...gate }) => {
    const { method, path } = endpoint
    const body = endpoint.body ? {} : undefined

    it('is guarded as written here', () => {
      const { access, scope = null, rate = 'api', stepUp = false, crew, capability = null, unproven = false } = endpoint
      const contract = {
        access,
        scope,
        bucket: rate,
        secondFactor: stepUp,
        crewRole: crew !== undefined,
        capability,
        unproven,
      }
      expect({ name: gate.name, ...contract }).toEqual(gate)
    })

    it.skipIf(!isRole(gate.access))('lets its own role in, and the one below not', async () => {
      const { call, workspace } = await common
      const below = roles[roles.indexOf(gate.access as 'OWNER') - 1]
      const code = async (role: (typeof roles)[number]) =>
        (await call(role, method, address(path, workspace), body)).body?.code
      if (below) expect(await code(below)).toBe('insufficient_role')
      if (endpoint.kind !== 'stream' && !ownOnly.has(gate.name))
        expect(await code(gate.access as 'OWNER')).not.toBe('insufficient_role')
    })

    it.skipIf(gate.scope === null)('refuses a token with every scope but its own', async () => {
      const { call, app, workspace } = await common
      const family = `${gate.scope!.split(':')[0]}:*`
      const enter = (scopes: string[]) => app.writeNow(() => addPerson(app, 'OWNER', workspace, { scopes }))
      const code = async (scopes: string[]) =>
        (await call(enter(scopes), method, address(path, workspace), body)).body?.code
      expect(await code(allScopes.filter((it) => it !== family))).toBe('insufficient_scope')
      expect(await code([gate.scope!])).not.toBe('insufficient_scope')
    })

    it.skipIf(gate.access === 'public' || gate.access === 'internal' || endpoint.kind === 'stream')(
      gate.secondFactor ? 'asks for the second factor again' : 'does not ask for the second factor again',
      async () => {
        const { workspace } = await common
        const code = (
          await (await stale).call(method, address(path, workspace), body ?? (method === 'GET' ? undefined : {}))
        ).body?.code
        if (gate.secondFactor) expect(code).toBe('step_up_required')
        else expect(code).not.toBe('step_up_required')
      },
    )

    it.skipIf(gate.access === 'internal' || endpoint.kind === 'stream')(
      'draws on its bucket and on no other',
      async () => {
        const { call, workspace } = await strict
        const n = gates.findIndex(({ name }) => name === gate.name)
        const from = { 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}` }
        const ask = async () =>
          (await call(null, method, address(path, workspace), method === 'GET' ? undefined : '{', from)).status
        const answers = [await ask(), await ask(), await ask()]
        if (gate.bucket === 'auth') expect(answers.slice(1)).toEqual([429, 429])
        else expect(answers).not.toContain(429)
      },
    )
  },
)
