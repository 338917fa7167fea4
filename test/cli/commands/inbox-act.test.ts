import { expect, it } from 'vitest'
import { asked, askPlace } from '../../support/asks.ts'
import { cliFor } from '../../support/cli.ts'

it('muster inbox act answers, takes over and dismisses', async () => {
  const it = await askPlace()
  const { run } = await cliFor(it, 'OWNER')
  const first = await asked(it)
  expect((await run('inbox', 'act', first.item)).code).toBe(2)
  expect((await run('inbox', 'act', first.item, '--answer', 'This', '--dismiss')).code).toBe(2)
  expect((await run('inbox', 'act', first.item, '--answer', ' ')).code).toBe(2)
  expect(await run('inbox', 'act', first.item, '--answer', 'This one')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Answered: the agent goes on.'),
  })
  expect((await first.next()).spec.stdin).toContain('This one')
  expect(await run('inbox', 'act', first.item, '--dismiss')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`muster inbox show`),
  })

  const second = await asked(it)
  expect(JSON.parse((await run('inbox', 'act', second.item, '--take-over', '--json')).stdout)).toMatchObject({
    state: 'resolved',
    receipt: { action: 'take_over', source_run_id: second.run_id },
  })
  const third = await asked(it)
  expect((await run('inbox', 'act', third.item, '--dismiss')).code).toBe(0)
  expect((await run('inbox', 'act', 'none', '--dismiss')).code).toBe(3)
})
