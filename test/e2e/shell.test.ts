import { afterAll, beforeAll, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { agentProcesses, containerOf, engineMissing } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

let daemon: Installation
let crewId: string

beforeAll(async () => {
  daemon = await install({})
  crewId = (await daemon.client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  await daemon.client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })
  await daemon.client.crews.start({ crewId })
}, 300_000)
afterAll(() => daemon?.remove())

const shell = () => {
  const { connection, dataDir } = daemon
  const SVC_TOKEN = connection.headers()['authorization']!.replace('Bearer ', '')
  const env = { SVC_DATA_DIR: dataDir, SVC_TOKEN, SVC_WORKSPACE: connection.workspace ?? '' }
  return cli(env).terminal(['shell', 'ada'], { cols: 100, rows: 30 })
}
const processes = async () => agentProcesses(await containerOf(crewId))
const shellEntries = async () =>
  (await daemon.client.journal.list({ query: { limit: 100 } })).entries.filter(
    ({ payload }) => (payload as { entity_type?: string } | undefined)?.entity_type === 'shell',
  )

it('is a terminal of the agent, in its folder and of the right size, and leaves nothing', async () => {
  const it = shell()
  await it.until(/\$ $/)
  it.type('echo "uid=$(id -u) at $(pwd) $(stty size) end"\r')
  await it.until(/uid=20001 at \/output\/ada 30 100 end/)
  it.resize(120, 40)
  it.type('while [ "$(stty size)" != "40 120" ]; do sleep 0.1; done; echo re""sized\r')
  await it.until(/resized/)
  it.type('setsid sleep 1000 & env -i setsid sleep 1001 & exit\r')
  expect(await it.ended).toBe(0)
  await expect.poll(processes, { timeout: 30_000 }).toEqual([])
  expect((await shellEntries()).map(({ payload }) => payload)).toMatchObject([
    { action: 'shell.close', metadata: { reason: 'left' } },
    { action: 'shell.open' },
  ])
})

it('does not outlive a daemon that is killed; the next one records its end', async () => {
  const it = shell()
  await it.until(/\$ $/)
  it.type('sleep 1000 & echo go""ing\r')
  await it.until(/going/)
  expect(await processes()).not.toEqual([])
  await daemon.kill()
  await expect.poll(processes, { timeout: 30_000 }).toEqual([])
  await daemon.start()
  it.kill()
  await it.ended
  expect((await shellEntries())[0]).toMatchObject({ payload: { metadata: { reason: 'daemon' } } })
})

it('ends with its container', async () => {
  await daemon.client.crews.start({ crewId })
  const it = shell()
  await it.until(/\$ $/)
  await daemon.client.crews.stop({ crewId })
  await it.until(/The crew was stopped/)
  expect(await it.ended).toBe(0)
})
