import { expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { peerPlace } from '../../support/peers.ts'

it('muster crews peer-conversations lists what agents asked each other', async () => {
  const place = await peerPlace()
  const { run } = await cliFor(place, 'VIEWER')
  expect((await run('crews', 'peer-conversations', 'backend')).stdout).toBe('')
  const asking = await place.work()
  const answer = place.tool(place.agentId, asking, '/query', { target: 'bo', question: 'Which port?\nQuick!' })
  await place.answer(1, 'Port 3000.')
  await answer
  expect((await run('crews', 'peer-conversations', 'backend')).stdout).toMatch(
    /^c\w{24}\tada\tbo\tCOMPLETED\tWhich port\?\tPort 3000\.\t0s\t2026-/,
  )
  expect(JSON.parse((await run('crews', 'peer-conversations', 'backend', '--json=response,status')).stdout)).toEqual([
    { response: 'Port 3000.', status: 'COMPLETED' },
  ])
})

it('muster crews standup tells what agents did', async () => {
  const place = await peerPlace()
  const { run, screen } = await cliFor(place, 'VIEWER')
  const asking = await place.work()
  await place.tool(place.agentId, asking, '/escalate', { reason: 'May I?' }, { signal: AbortSignal.abort() })
  const answer = place.tool(place.agentId, asking, '/query', { target: 'bo', question: 'Which port?' })
  await place.answer(1, 'Port 3000.')
  await answer
  const { run_id } = place.newest()
  const shown = screen(['crews', 'standup', 'backend', '--since', '2025-12-31T00:00:00Z', '--no-color'], { cols: 200 })
  expect(await shown.ended).toBe(0)
  const text = shown.text().replaceAll('\r', '')
  expect(text).toContain('ada (running): 1 open, 1 asked of others; $0.00\n  waits ')
  expect(text).toContain(', escalation: May I?')
  expect(text).toContain('bo (idle): 1 completed, 1 answered for others; $0.25\n')
  expect(text).toContain(`, completed ${run_id}: Port 3000.`)
  expect(JSON.parse((await run('crews', 'standup', 'backend', '--json=slug,agents')).stdout)).toMatchObject({
    slug: 'backend',
    agents: [{ slug: 'ada' }, { slug: 'bo' }],
  })
  expect(await run('crews', 'standup', 'backend', '--since', 'noon')).toMatchObject({ code: 2 })
})

it('muster crews messages lists what crews told each other', async () => {
  const place = await peerPlace()
  const { run } = await cliFor(place, 'MANAGER')
  const ops = (await place.call('OWNER', 'POST', '/crews', { name: 'Ops', slug: 'ops' })).body.id
  await place.call('MANAGER', 'POST', '/crew-connections', { from_crew_id: place.crewId, to_crew_id: ops })
  expect((await run('crews', 'messages')).stdout).toBe('')
  await place.tool(place.agentId, '', '/crew-messages', { to_crew: 'ops', body: 'The build is red' })
  expect((await run('crews', 'messages')).stdout).toMatch(/^c\w{24}\tbackend\tada\tops\tThe build is red\t2026-/)
  expect((await run('crews', 'messages', 'ops', '--json=body')).stdout).toContain('The build is red')
})
