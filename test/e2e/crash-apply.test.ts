import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Installation, install } from '../support/installation.ts'
import { document } from '../support/manifests.ts'

const data = mkdtempSync(join(tmpdir(), 'muster-apply-'))
const kills = Number(process.env['MUSTER_CRASHES'] ?? 20)
const [crews, each] = [10, 20]
let daemon: Installation
let workspaceId = ''

/** A workspace of crews with agents, whose names no other round has. */
const documents = (round: string) =>
  Array.from({ length: crews }, (_, crew) =>
    document('Crew', `${round}-${crew}`, {
      metadata: { description: 'x'.repeat(1000) },
      spec: {
        agents: Array.from({ length: each }, (__, agent) => ({
          slug: `${round}-${crew}-${agent}`,
          prompt: `You are ${agent}.`,
        })),
      },
    }),
  )

const apply = (round: string) => daemon.client.manifests.apply({ workspaceId, body: { documents: documents(round) } })

const madeIn = async (round: string) => {
  const { documents: all } = await daemon.client.manifests.export({ workspaceId })
  const mine = all.filter(({ metadata }) => (metadata as { slug: string }).slug.startsWith(`${round}-`))
  const agents = mine.flatMap(({ spec }) => (spec as { agents: object[] }).agents)
  return { crews: mine.length, agents: agents.length }
}

beforeAll(async () => {
  daemon = await install({ SVC_DATA_DIR: data, SVC_CONTAINER_PROVIDER: 'process', SVC_LOG_LEVEL: 'error' })
  workspaceId = (await daemon.client.workspaces.list({ query: {} }))[0]!.id
})

afterAll(async () => {
  await daemon?.remove()
  rmSync(data, { recursive: true, force: true })
})

it('an apply leaves everything or nothing, whenever the daemon is killed', { timeout: 600_000 }, async () => {
  const whole = { crews, agents: crews * each }
  await apply('warm')
  await daemon.kill()
  await daemon.start()
  const from = performance.now()
  await apply('full')
  const lasts = performance.now() - from
  const ends: object[] = []
  for (let kill = 0; kill < kills; kill++) {
    const round = `k${kill}`
    const applied = apply(round).then(
      () => true,
      () => false,
    )
    await new Promise((resolve) => setTimeout(resolve, (lasts * 1.3 * kill) / kills))
    await daemon.kill()
    const answered = await applied
    await daemon.start()
    const made = await madeIn(round)
    expect([{ crews: 0, agents: 0 }, whole], `killed ${kill}`).toContainEqual(made)
    if (answered) expect(made).toEqual(whole)
    const { entries } = await daemon.client.journal.list({ query: { limit: 500 } })
    const told = entries.filter(({ payload }) => (payload as { name?: string }).name?.startsWith(`${round}-`))
    expect(told.length > 0).toBe(made.crews > 0)
    ends.push(made)
  }
  expect(ends[0], 'killed before it began').toEqual({ crews: 0, agents: 0 })
  expect((await daemon.client.journal.verify({ query: {} })).valid).toBe(true)
  expect((await apply('k0')).created).toBe(crews + crews * each)
})
