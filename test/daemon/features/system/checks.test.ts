import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closing, daemon } from '#test'
import {
  judgeBackup,
  judgeCrewData,
  judgeCrews,
  judgeDisk,
  judgeImages,
  judgeKey,
  judgeMail,
  judgeNetwork,
  judgeOrphans,
  judgePermissions,
  judgeRuntime,
} from '../../../../daemon/features/system/checks/rules.ts'
import { Reconciler } from '../../../../daemon/runtime/reconcile.ts'
import type { Belonging, DiskCondition, RuntimeCondition } from '../../../../daemon/runtime/service-types.ts'
import { EngineInMemory } from '../../runtime/engine-in-memory.ts'

const condition = (over: Partial<RuntimeCondition> = {}): RuntimeCondition => ({
  kind: 'docker',
  engine: { ok: true, detail: 'Docker engine 20.10' },
  images: [],
  orphans: [],
  ...over,
})
const belonging = (kind: Belonging['kind'], name: string, own = true): Belonging => ({ kind, name, crewId: 'c1', own })
const disks = (over: Partial<DiskCondition> = {}): DiskCondition => ({
  limit: 20 * 1024 ** 3,
  reserve: 512 * 1024 ** 2,
  machine: { total: 100, used: 0, free: 50 * 1024 ** 3, level: 'ok' },
  crews: [],
  ...over,
})
const stored = (slug: string, level: 'ok' | 'warn' | 'full') => ({
  slug,
  level,
  used: '17.0 GB of 20.0 GB',
  tidy: `see ${slug}`,
})
const away = { ok: false, detail: 'No Docker engine answers' }
const GB = 1024 ** 3

describe('judging', () => {
  it.each([
    ['an engine', judgeRuntime(condition()), 'ok', /20\.10/, null],
    ['no engine', judgeRuntime(condition({ engine: away })), 'fail', /No Docker/, /systemctl start docker/],
    ['local processes', judgeRuntime(condition({ kind: 'process' })), 'warn', /./, /SVC_CONTAINER_PROVIDER=docker/],
    ['images', judgeImages(condition({ images: [{ name: 'a', here: true }] }))[0]!, 'ok', /a/, null],
    [
      'a missing image of ours',
      judgeImages(condition({ images: [{ name: 'muster/crew:local', here: false }] }))[0]!,
      'fail',
      /crew:local/,
      /build-images/,
    ],
    [
      'another missing image',
      judgeImages(condition({ images: [{ name: 'node:22', here: false }] }))[0]!,
      'fail',
      /node:22/,
      /docker pull node:22/,
    ],
    ['nothing left over', judgeOrphans(condition())[0]!, 'ok', /./, null],
    [
      'a container of nobody',
      judgeOrphans(condition({ orphans: [belonging('container', 'x')] }))[0]!,
      'warn',
      /x/,
      /being removed/,
    ],
    [
      'volumes of nobody',
      judgeOrphans(condition({ orphans: ['a', 'b', 'c', 'd'].map((it) => belonging('volume', it)) }))[0]!,
      'warn',
      /a, b, c and 1 more/,
      /docker volume rm a b c/,
    ],
    [
      'others on the engine',
      judgeOrphans(condition({ orphans: [belonging('volume', 'a', false), belonging('container', 'b', false)] }))[1]!,
      'ok',
      /1 container, 1 volume/,
      null,
    ],
    [
      'crews with room',
      judgeCrewData(disks({ crews: [stored('a', 'ok')] }))[0]!,
      'ok',
      /no crew is near the 20.0 GB/,
      null,
    ],
    ['crews without limit', judgeCrewData(disks({ limit: 0 }))[0]!, 'warn', /as much as they like/, /SVC_CREW_DISK_MB/],
    [
      'a crew with little room',
      judgeCrewData(disks({ crews: [stored('a', 'warn'), stored('b', 'ok')] }))[0]!,
      'warn',
      /^a: 17.0 GB of 20.0 GB$/,
      /^see a, then/,
    ],
    [
      'crews without room',
      judgeCrewData(disks({ crews: [stored('a', 'full'), stored('b', 'warn')] }))[0]!,
      'fail',
      /^a: .*, and others$/,
      /SVC_CREW_DISK_MB/,
    ],
    ['a reserve', judgeCrewData(disks())[1]!, 'ok', /50.0 GB are free and 512 MB are kept/, null],
    ['no reserve', judgeCrewData(disks({ reserve: 0 }))[1]!, 'warn', /may fill the disk/, /SVC_DISK_RESERVE_MB/],
    [
      'a disk that is nearly full',
      judgeCrewData(disks({ machine: { total: 100, used: 100, free: 0, level: 'full' } }))[1]!,
      'fail',
      /runs wait/,
      /free space/,
    ],
    [
      'a crew in trouble',
      judgeCrews([
        { slug: 'a', error: null },
        { slug: 'b', error: 'no image' },
      ])[0]!,
      'warn',
      /b: no image/,
      /muster crews status b/,
    ],
    ['much room', judgeDisk('/d', 50 * GB, 100 * GB), 'ok', /50\.0 GB of 100\.0 GB/, null],
    ['little room', judgeDisk('/d', 2 * GB, 100 * GB), 'warn', /2\.0 GB/, /SVC_DATA_DIR/],
    ['a twentieth of a large disk', judgeDisk('/d', 40 * GB, 1000 * GB), 'warn', /40/, /./],
    ['no room', judgeDisk('/d', GB / 4, 100 * GB), 'fail', /256 MB/, /./],
    ['closed files', judgePermissions([{ path: '/d', mode: 0o40700, uid: 1 }], 1), 'ok', /./, null],
    [
      'an open file',
      judgePermissions([{ path: '/d/k', mode: 0o100640, uid: 1 }], 1),
      'fail',
      /\/d\/k/,
      /chmod go= \/d\/k/,
    ],
    [
      'a file of somebody else',
      judgePermissions([{ path: '/d', mode: 0o40700, uid: 2 }], 1),
      'fail',
      /another user/,
      /chown/,
    ],
    ['a key', judgeKey(true, true), 'ok', /opens/, null],
    ['a key and nothing stored', judgeKey(true, null), 'ok', /no credential/, null],
    ['no key', judgeKey(false, null), 'fail', /no encryption key/, /ENCRYPTION_KEY/],
    ['another key', judgeKey(true, false), 'fail', /does not open/, /rotate/],
    [
      'loopback',
      judgeNetwork({ url: 'http://127.0.0.1:1', loopback: true, limited: true }),
      'ok',
      /this machine alone/,
      null,
    ],
    ['no mail', judgeMail({ way: null, failure: null, publicUrl: '' }), 'ok', /admin reset-password/, null],
    [
      'mail',
      judgeMail({ way: 'mail.example.com:587', failure: null, publicUrl: 'https://h' }),
      'ok',
      /mail\.example\.com:587/,
      null,
    ],
    [
      'mail without an address',
      judgeMail({ way: 'mail.example.com:587', failure: null, publicUrl: '' }),
      'warn',
      /not mailed/,
      /SVC_PUBLIC_URL/,
    ],
    [
      'mail refused',
      judgeMail({ way: 'h:587', failure: 'h answered 535 (EAUTH)', publicUrl: 'https://h' }),
      'warn',
      /535/,
      /docs\/mail\.md/,
    ],
    [
      'no backup',
      judgeBackup({ lastAt: null, hours: 0, sameDisk: true, now: 0 }),
      'warn',
      /no backup/,
      /backup create/,
    ],
    [
      'a backup',
      judgeBackup({ lastAt: 0, hours: 0, sameDisk: false, now: 36e5 }),
      'ok',
      /^The last one is 1 h old$/,
      null,
    ],
    [
      'a backup beside the data',
      judgeBackup({ lastAt: 0, hours: 24, sameDisk: true, now: 36e5 }),
      'ok',
      /on the disk of the data/,
      null,
    ],
    [
      'a schedule that makes none',
      judgeBackup({ lastAt: 0, hours: 1, sameDisk: false, now: 3 * 36e5 }),
      'warn',
      /3 h old/,
      /backup\.failed/,
    ],
    [
      'an old backup',
      judgeBackup({ lastAt: 0, hours: 0, sameDisk: false, now: 8 * 864e5 }),
      'warn',
      /192 h old/,
      /backup create/,
    ],
    [
      'no limits',
      judgeNetwork({ url: 'http://127.0.0.1:1', loopback: true, limited: false }),
      'warn',
      /./,
      /SVC_RATELIMIT_DISABLED/,
    ],
  ] as const)('%s', (_, finding, status, detail, fix) => {
    expect(finding.status).toBe(status)
    expect(finding.detail).toMatch(detail)
    if (fix === null) expect(finding.fix).toBeNull()
    else expect(finding.fix).toMatch(fix)
  })

  it('says nothing of what cannot be seen', () => {
    expect(judgeImages(condition({ engine: away }))).toEqual([])
    expect(judgeOrphans(condition({ engine: away }))).toEqual([])
    expect(judgeImages(condition({ kind: 'process' }))).toEqual([])
    expect(judgeCrews([{ slug: 'a', error: null }])).toEqual([])
  })
})

describe('system.doctor', () => {
  async function scene(options: Parameters<typeof daemon>[0] = {}) {
    const it = await daemon(options)
    const engine = new EngineInMemory()
    const reconciler = new Reconciler({
      app: it.app,
      runtime: engine.runtime,
      tidy: () => {},
      sidecarConfig: ({ spec }) => ({ network: spec.network, agents: {}, upstreams: {} }),
      isLive: () => false,
      endRuns: async () => {},
    })
    it.app.runtime = reconciler
    closing({ close: () => reconciler.close() })
    const examine = async () => {
      const { status, body } = await it.call('ADMIN', 'GET', '/system/doctor')
      expect(status).toBe(200)
      return body as { name: string; status: string; detail: string; fix: string | null }[]
    }
    const find = async (name: string) => (await examine()).find((check) => check.name === name)
    return { ...it, engine, examine, find }
  }

  it('is for the admins of the server', async () => {
    const it = await scene()
    expect((await it.call('MANAGER', 'GET', '/system/doctor')).status).toBe(403)
    expect(await it.call(it.stranger(), 'GET', '/system/doctor')).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    })
    expect((await it.call('OWNER', 'GET', '/system/doctor')).status).toBe(200)
  })

  it('looks at everything once', async () => {
    const names = (await (await scene()).examine()).map(({ name }) => name)
    expect(new Set(names)).toEqual(new Set(['runtime', 'images', 'orphans', 'database', 'key', 'network', 'mail']))
  })

  it('finds what no crew owns', async () => {
    const it = await scene()
    const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Works', slug: 'works' })).body
    it.engine.belongings = [
      { kind: 'container', name: 'mine', crewId: crew.id, own: true },
      { kind: 'volume', name: 'left-over', crewId: 'c0', own: true },
    ]
    expect(await it.find('orphans')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('left-over'),
      fix: expect.stringContaining('docker volume rm left-over'),
    })
    expect((await it.find('orphans'))!.detail).not.toContain('mine')
  })

  it('tells when the key is another than the one that credentials were stored with', async () => {
    const it = await scene()
    expect(await it.find('key')).toMatchObject({ status: 'ok', detail: expect.stringContaining('no credential') })
    const { body } = await it.call('OWNER', 'POST', '/credentials', {
      name: 'k',
      type: 'API_KEY',
      provider: 'ANTHROPIC',
      value: 'sk-ant-x',
    })
    expect(await it.find('key')).toMatchObject({ status: 'ok', detail: expect.stringContaining('opens') })
    it.app.db
      .prepare('UPDATE credentials SET encrypted_value = ? WHERE id = ?')
      .run(`v1:${Buffer.alloc(60).toString('base64')}`, body.id)
    expect(await it.find('key')).toMatchObject({ status: 'fail' })
  })

  it('sees who may read the data folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-checks-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const it = await scene({ config: { dataDir: folder } })
    expect(await it.find('permissions')).toMatchObject({ status: 'ok' })
    expect(await it.find('disk')).toMatchObject({ detail: expect.stringMatching(/GB free|of .* free/) })
    writeFileSync(join(folder, 'encryption.key'), 'x', { mode: 0o600 })
    chmodSync(join(folder, 'encryption.key'), 0o644)
    expect(await it.find('permissions')).toMatchObject({
      status: 'fail',
      fix: `chmod go= ${join(folder, 'encryption.key')}`,
    })
  })

  it('works without an engine', async () => {
    const it = await scene()
    it.engine.runtime.ping = async () => ({ ok: false, detail: 'No Docker engine answers' })
    it.engine.runtime.belongings = async () => {
      throw new Error('away')
    }
    expect(await it.find('runtime')).toMatchObject({ status: 'fail' })
    expect(await it.find('orphans')).toBeUndefined()
  })
})
