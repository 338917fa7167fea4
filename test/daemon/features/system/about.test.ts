import { describe, expect, it } from 'vitest'
import { version } from '#kernel/version'
import { daemon, fixedClock } from '#test'
import type { RuntimeCondition, RuntimeService } from '../../../../daemon/runtime/service-types.ts'

async function withEngine(ok: boolean) {
  const clock = fixedClock()
  const it = await daemon({ clock })
  const engine = { ok, asked: 0 }
  it.app.runtime = {
    async condition(): Promise<RuntimeCondition> {
      engine.asked++
      return { kind: 'docker', engine: { ok: engine.ok, detail: '' }, images: [], orphans: [] }
    },
  } as Partial<RuntimeService> as RuntimeService
  it.app.db.prepare('UPDATE workspaces SET home = 1 WHERE id = ?').run(it.workspace)
  return {
    it,
    clock,
    engine,
    ask: async (who: 'ADMIN' | 'MEMBER') => (await it.call(who, 'GET', '/system/runtime')).body,
  }
}

describe('system.runtime', () => {
  it('tells everybody whether there is one, and admins of the first workspace which', async () => {
    const { ask } = await withEngine(true)
    expect(await ask('MEMBER')).toEqual({
      available: true,
      runtime: null,
      version: null,
      socket: null,
      runtimes: [],
      install_links: {},
    })
    expect(await ask('ADMIN')).toEqual({
      available: true,
      runtime: 'docker',
      version: null,
      socket: null,
      runtimes: [{ runtime: 'docker', version: null, socket: null, in_use: true }],
      install_links: {},
    })
  })

  it('says where to get one when none answers, and asks the engine every ten seconds at most', async () => {
    const { ask, clock, engine } = await withEngine(false)
    expect(await ask('ADMIN')).toMatchObject({
      available: false,
      runtimes: [],
      install_links: { docker: 'https://docs.docker.com/engine/install/' },
    })
    engine.ok = true
    clock.advance(9_000)
    expect((await ask('MEMBER')).available).toBe(false)
    expect(engine.asked).toBe(1)
    clock.advance(1_000)
    expect((await ask('MEMBER')).available).toBe(true)
  })

  it('is not available where there is no runtime', async () => {
    const it = await daemon()
    expect((await it.call('MEMBER', 'GET', '/system/runtime')).body.available).toBe(false)
  })
})

describe('system.version', () => {
  it('is what is known, and null for the rest', async () => {
    const it = await daemon()
    const { body } = await it.call('VIEWER', 'GET', '/system/version')
    expect(body).toMatchObject({ version, current: version, latest: null, newer: false, url: null, commit: null })
    expect(body.schema_version).toBeGreaterThanOrEqual(20)
  })
})

it('system.telemetry says that nothing is reported', async () => {
  const it = await daemon()
  expect((await it.call(null, 'GET', '/system/telemetry')).body).toEqual({ enabled: false, install_id: null })
})

describe('system.daemon', () => {
  it('answers members under its own name and those of the configuration', async () => {
    const clock = fixedClock()
    const it = await daemon({ clock, config: { healthAliases: ['old-server', 'older'] } })
    clock.advance(3 * 3_600_000 + 12 * 60_000)
    for (const name of ['musterd', 'old-server', 'older']) {
      expect((await it.call('VIEWER', 'GET', `/${name}`)).body).toEqual({ status: 'ok', uptime: '3h12m' })
      expect((await it.call('VIEWER', 'POST', `/${name}`)).status).toBe(405)
      expect((await it.call(null, 'GET', `/${name}`)).status).toBe(401)
    }
    const other = { ...it.stranger(), workspace: it.workspace }
    expect((await it.call(other, 'GET', '/older')).body.code).toBe('not_a_member')
    expect((await it.call('VIEWER', 'GET', '/oldest')).status).toBe(404)
  })

  it('answers under no other name, and stands in the way of nothing', async () => {
    const it = await daemon({ config: { healthAliases: ['old-server'] } })
    for (const path of ['/old-server/', '/old-server/agents', '/Old-Server', '/old-serve', '/older'])
      expect((await it.call('VIEWER', 'GET', path)).status, path).toBe(404)
    expect((await it.call('VIEWER', 'GET', '/api/old-server')).status).toBe(404)
    expect((await it.call('VIEWER', 'GET', `/old-server?workspace_id=${it.workspace}`)).status).toBe(200)
    for (const path of ['/agents', '/crews', '/runs']) expect((await it.call('VIEWER', 'GET', path)).status).toBe(200)
  })

  it.each(['agents', 'runs', 'journal', 'ws-token', 'musterd'])(
    'takes no name that the API has already: %s',
    async (name) => {
      await expect(daemon({ config: { healthAliases: [name] } })).rejects.toThrow(
        `server.health_aliases has "${name}", which is an address of this API already`,
      )
    },
  )
})
