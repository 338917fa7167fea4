import { expect, it } from 'vitest'
import { asked, askPlace } from '../../support/asks.ts'
import { cliFor } from '../../support/cli.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'

it('muster ps tells what runs, what waits for whom and since when, and what is queued', async () => {
  const it = await askPlace({ config: { maxConcurrentRuns: 1 } })
  const { run, screen } = await cliFor(it, 'OWNER')
  expect(await run('ps')).toMatchObject({ code: 0, stdout: '' })
  const { run_id: waits, item } = await asked(it, { question: 'Postgres or SQLite?' })
  const works = await beginMadeUp(it, it.agentId)
  await it.runtime.program(1)
  const queued = await beginMadeUp(it, await it.mate('bob'))
  const rows = JSON.parse((await run('ps', '--json')).stdout)
  expect(rows).toMatchObject([
    { run_id: queued, agent: 'bob', state: 'queued', waits_for: null },
    { run_id: works, agent: 'ada', crew: 'Backend', state: 'working', waits_for: null, question: null },
    {
      run_id: waits,
      state: 'waiting',
      waits_for: 'you',
      question: 'Agent ada asks: Postgres or SQLite?',
      inbox_id: item,
    },
  ])
  const parked = (await it.call('OWNER', 'GET', `/runs/${waits}`)).body.parked_at
  expect(rows[2].since).toBe(parked)
  // Who may not see the item learns that somebody is asked.
  const other = await cliFor(it, 'VIEWER')
  expect(JSON.parse((await other.run('ps', '--json')).stdout)[2]).toMatchObject({
    state: 'waiting',
    waits_for: 'somebody else',
    question: null,
  })
  const terminal = screen(['ps'], { cols: 120, env: { NO_COLOR: '1' } })
  expect(await terminal.ended).toBe(0)
  expect(terminal.text()).toMatch(/ID +AGENT +STATE +WAITS-FOR +QUESTION +AGE/)
  expect(terminal.text()).toMatch(/waiting +you +Agent ada asks: Postgres or SQLite\?/)
})
