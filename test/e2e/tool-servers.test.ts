import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentProcesses, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { buildServerImage } from '../support/server-image.ts'

// Testing servers over standard streams in a crew's container, by the built daemon.

leaveOut(engineMissing)

let daemon: Installation
let crewId: string
let installation = ''

beforeAll(async () => {
  const image = await buildServerImage('e2e')
  daemon = await install({ SVC_CONTAINER_PREFIX: 'muster-tools' })
  const body = { name: 'Works', slug: 'works', runtime_image: image }
  crewId = (await daemon.client.crews.create({ body })).id
}, 300_000)
afterAll(async () => {
  await daemon?.remove()
  if (installation) await removeInstallation(installation)
})

async function added(name: string, command: string, args: string[]) {
  const body = { name, transport: 'stdio', command, args_json: JSON.stringify(args) } as const
  const { id: serverId } = await daemon.client.integrations.createInCrew({ crewId, body })
  return serverId
}

const test = (serverId: string) => daemon.client.integrations.testInCrew({ crewId, serverId })

it('looks at the form of a command alone while its crew does not run', async () => {
  const message = 'The command has the right form. It was not run: no crew that could run it is running'
  expect(await test(await added('early', 'mcp-everything', ['stdio']))).toEqual({ status: 'ok', message })
  await daemon.client.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
})

it('runs a program of the image, which leaves nothing', async () => {
  expect(await test(await added('here', 'mcp-everything', ['stdio']))).toEqual({
    status: 'ok',
    message: 'It was run in the crew works',
    server_info: { name: 'mcp-servers/everything', version: expect.any(String) },
  })
  expect(await agentProcesses(await containerOf(crewId))).toEqual([])
})

it('names the registry that the network policy of the crew keeps it from, each time', async () => {
  const serverId = await added('fetched', 'npx', ['-y', 'a-package-of-nobody'])
  const message = expect.stringContaining("The crew's network policy does not let it reach registry.npmjs.org")
  for (const _ of ['first', 'again']) expect(await test(serverId)).toEqual({ status: 'error', message })
  const { entries } = await daemon.client.journal.list({ query: { entry_type: 'network.egress' } })
  expect(entries[0]).toMatchObject({ payload: { denied: true, host: 'registry.npmjs.org' } })
  expect(entries[0]).not.toHaveProperty('agent_id')
})
