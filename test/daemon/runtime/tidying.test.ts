import { expect, it } from 'vitest'
import { closing } from '#test'
import { createTidying } from '../../../daemon/runtime/tidying.ts'
import { FakeRuntime } from '../../support/fake-runtime.ts'
import { workplace } from '../../support/runs.ts'

async function setUp() {
  const it = await workplace({ runtime: new FakeRuntime() })
  const tidying = createTidying(it.app, it.runtime)
  closing(tidying)
  const remove = async (agent: string) =>
    expect((await it.call('OWNER', 'DELETE', `/agents/${agent}`)).status).toBe(200)
  return { ...it, tidying, remove }
}

it('takes away what a deleted agent had', async () => {
  const { runtime, agentId, remove } = await setUp()
  await remove(agentId)
  await runtime.clearedAway(1)
  expect(runtime.cleared[0]).toBe('ada with data')
})

it('keeps the folders of a deleted agent until its run has told its end', async () => {
  const { runtime, runs, agentId, remove, send, openChat } = await setUp()
  runtime.obedient = false
  const { run_id } = await send(await openChat(), 'hello')
  const program = await runtime.program()
  await remove(agentId)
  await runtime.clearedAway(1)
  expect(runtime.cleared.every((it) => it === 'ada')).toBe(true)
  const before = runtime.cleared.length
  runtime.finish(program, { kind: 'signal', signal: 'SIGKILL' })
  await runs.ended(run_id)
  await runtime.clearedAway(before + 1)
  expect(runtime.cleared.at(-1)).toBe('ada with data')
})

it('clears away what a deleted tool server left, in the crews that run', async () => {
  const { runtime, call, tidying, crewId } = await setUp()
  const make = async (path: string, name: string) =>
    (await call('OWNER', 'POST', path, { name, transport: 'stdio', command: 'npx' })).body.id as string
  const ids = [await make('/integrations', 'one'), await make(`/crews/${crewId}/integrations`, 'two')].sort()
  tidying.look(crewId)
  await expect.poll(() => runtime.knownServers.at(-1)).toEqual(ids)
  const [one, two] = [await call('OWNER', 'GET', '/integrations'), ids]
  await call('OWNER', 'DELETE', `/crews/${crewId}/integrations/${two.find((id) => id !== one.body[0].id)}`)
  await expect.poll(() => runtime.knownServers.at(-1)).toEqual([one.body[0].id])
})

it('begins again when a crew is joined, whatever was done before', async () => {
  const { runtime, crewId, agentId, remove, tidying } = await setUp()
  await remove(agentId)
  await runtime.clearedAway(1)
  const before = runtime.cleared.length
  tidying.look(crewId)
  await runtime.clearedAway(before + 1)
  expect(runtime.cleared.at(-1)).toBe('ada with data')
})

it('tries again what failed', async () => {
  const { runtime, agentId, remove } = await setUp()
  runtime.refuseClear = new Error('the engine is away')
  await remove(agentId)
  await runtime.clearedAway(1)
  expect(runtime.cleared[0]).toBe('ada with data')
})

it('ends what idle agents have running, and lets those alone who work', async () => {
  const { runtime, crewId, mate, send, openChat, tidying } = await setUp()
  await mate('bob')
  await send(await openChat(), 'hello')
  await runtime.program()
  const ended: string[] = []
  runtime.endLeft = async (_crew, { slug }) => void ended.push(slug)
  tidying.look(crewId)
  await expect.poll(() => ended).toEqual(['bob'])
})
