import { expect, it } from 'vitest'
import { daemon } from '#test'
import { recordTrip } from '../../../daemon/features/tripwires/service.ts'
import { cliFor } from '../../support/cli.ts'

it('muster tripwires plants, lists, shows, arms again and removes', async () => {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body
  const { run } = await cliFor(it, 'MANAGER')
  const ok = async (...words: string[]) => {
    const { code, stdout, stderr } = await run('tripwires', ...words)
    expect(code, stderr).toBe(0)
    return stdout
  }
  await ok('plant', 'web', 'file', '.aws/credentials')
  const [{ id }] = JSON.parse(await ok('list', 'web', '--json'))
  expect(await ok('show', 'web', id)).toContain('Nobody has touched it.')
  expect((await run('tripwires', 'rearm', 'web', id)).code).not.toBe(0)
  const events = [{ ts: it.app.now(), entry_type: 'run.started', summary: 'Ada began' }]
  const touch = { crewId: crew.id, tripwireId: id, agentId: null, runId: null, place: 'output', detail: 'x' } as const
  await it.app.write(() => recordTrip(it.app, { ...touch, events }))
  expect(await ok('list', 'web')).toContain('tripped')
  expect(await ok('show', 'web', id)).toContain('Ada began')
  await ok('rearm', 'web', id, '--false-alarm')
  expect(JSON.parse(await ok('show', 'web', id, '--json'))).toMatchObject({
    state: 'armed',
    trips: [{ false_alarm: true }],
  })
  await ok('remove', 'web', id, '--yes')
  expect(JSON.parse(await ok('list', 'web', '--json'))).toEqual([])
})
