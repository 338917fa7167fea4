import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '#client'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { scratchFolder } from '../support/bundles.ts'
import { cli } from '../support/cli.ts'
import { belongings, containerOf, engine, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { startMusterd } from '../support/musterd.ts'

// A server whose crews are in containers is backed up and restored as another one on the same engine, from its volumes.

leaveOut(engineMissing)

const passphrase = 'twelve chars and more'
let server: Installation
let crewId: string
let installation = ''

beforeAll(async () => {
  server = await install({ SVC_CONTAINER_PREFIX: 'muster-backed' })
  const api = server.client
  crewId = (await api.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  await api.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })
  await api.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
}, 300_000)
afterAll(async () => {
  await server?.remove()
  if (installation) await removeInstallation(installation)
})

async function removeContainers(): Promise<void> {
  const filters = { label: [`svc.installation=${installation}`] }
  for (const { Id } of await engine.listContainers({ all: true, filters }))
    await engine.getContainer(Id).remove({ force: true })
}

const asAgent = async (script: string) =>
  run(await containerOf(crewId), { user: '20001:1001', argv: ['sh', '-c', script] })
/** What the agent sees of its files: kinds, rights, owners, sizes and content. */
const look = 'cd /output/ada && stat -c "%n %F %a %u %g %s" * && sha256sum * && readlink l && cat /crew/agents/ada/note'

it('gives crews their files back, with owners, rights and links, and touches no volume that is there', async () => {
  const made = await asAgent(
    'cd /output/ada && echo one > a && ln -s a l && ln a hard && head -c 3000000 /dev/urandom > large &&' +
      ' chmod 751 large && echo home > /crew/agents/ada/note',
  )
  expect(made).toMatchObject({ code: 0 })
  const before = await asAgent(look)
  expect(before.code).toBe(0)
  await asAgent('mkfifo /output/ada/pipe')
  const body = { scope: 'instance' as const, scope_level: 'full' as const, passphrase }
  const { path } = await server.client.backup.create({ body }, { timeout: 120_000 })

  const folder = scratchFolder()
  const to = join(folder, 'new')
  writeFileSync(join(folder, 'pass'), passphrase)
  const { DOCKER_HOST = '' } = process.env
  const restore = (prefix: string) =>
    cli({ DOCKER_HOST, SVC_CONTAINER_PREFIX: prefix }).run(
      ...['backup', 'restore', path, '--to', to, '--passphrase-file', join(folder, 'pass')],
      ...['--key-file', join(server.dataDir, 'encryption.key')],
    )
  const there = await belongings(installation)
  expect(await restore('muster-backed')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The engine has files of the crew works already'),
  })
  expect(await belongings(installation)).toEqual(there)

  expect(await restore('muster-restored')).toMatchObject({ code: 0 })
  // The original goes before its double starts: both take the same crew for theirs.
  await server.stop()
  await removeContainers()
  const env = { HOME: folder, DOCKER_HOST, SVC_DATA_DIR: to, SVC_PORT: '0', SVC_CONTAINER_PREFIX: 'muster-restored' }
  const daemon = await startMusterd(env)
  try {
    const headers = server.connection.headers() as Record<string, string>
    const token = headers['authorization']!.replace('Bearer ', '')
    const { workspace = '' } = server.connection
    const client = createClient({ server: `unix://${to}/musterd.sock`, token, workspace })
    await client.crews.start({ crewId }, { timeout: 120_000 })
    expect(await asAgent(look)).toEqual(before)
  } finally {
    await daemon.stop()
  }
})
