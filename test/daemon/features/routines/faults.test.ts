import { describe, expect, it } from 'vitest'
import { createOutbound } from '#kernel/outbound/outbound'
import { closing } from '#test'
import { reachLoopback, routines, type Step } from '../../../support/routines.ts'
import { server } from '../../../support/server.ts'

const give = (id: string, more: object = {}): Step => ({
  id,
  type: 'transform',
  transform: { input: id, expression: '.' },
  ...more,
})
const get = (url: string, of: object = {}): Step => ({ id: 'a', type: 'http', http: { method: 'GET', url }, ...of })
const hour = 3_600_000

describe('a routine under bad input and faults', () => {
  it('may have 500 steps, all of which are done', async () => {
    const { save, run, until } = await routines()
    await save(
      'long',
      Array.from({ length: 500 }, (_, n) => give(`s${n}`)),
    )
    const { run_id } = await run('long', { wait_seconds: 0 })
    const done = await until(run_id, 'completed')
    expect([done.output, done.steps.length]).toEqual(['s499', 500])
  })

  it('does no loop over 100,000 items', async () => {
    const { save, run } = await routines()
    const loop = { id: 'each', type: 'foreach', foreach: { items: '{{ inputs.list }}', steps: [give('a')] } }
    await save('loop', [loop], { inputs: [{ name: 'list', type: 'array' }] })
    const list = Array.from({ length: 100_000 }, () => 1)
    expect((await run('loop', { inputs: { list } })).error_message).toBe('A foreach has at most 1000 items, not 100000')
  })

  it('calls no host whose name leads to a private address when it is dialled', async () => {
    const it = await routines()
    const { port, connections } = await server((_, response) => response.end())
    const answers = [['127.0.0.1', '93.184.215.14'], ['10.1.2.3'], ['::1']]
    Object.assign(it.app, { outbound: closing(createOutbound({ resolve: async () => answers.shift()! })) })
    await it.save('call', [get(`https://rebind.example:${port}`)])
    for (let round = 0; round < 3; round++)
      expect(await it.run('call')).toMatchObject({ status: 'FAILED', failed_at_step: 'a' })
    expect([answers.length, connections()]).toEqual([0, 0])
  })

  it('leaves an answer that has no end', async () => {
    let closed = false
    const { url } = await server((_, response) => {
      const write = () => {
        while (response.writable && response.write('x'.repeat(65_536)));
      }
      response.on('drain', write)
      response.on('close', () => {
        closed = true
      })
      write()
    })
    const it = await routines()
    reachLoopback(it)
    await it.save('call', [get(url.replace('http:', 'https:'), { retry: { max_attempts: 3 } })])
    const { run_id } = await it.run('call', { wait_seconds: 0 })
    expect(await it.until(run_id, 'failed')).toMatchObject({ steps: [{ attempt: 1 }] })
    await expect.poll(() => closed).toBe(true)
  })

  it('waits for its time though the clock is set back an hour, and no longer when it is set forward', async () => {
    const { save, run, until, pass, result, clock } = await routines()
    const wait = { kind: 'datetime', until: new Date(clock() + hour).toISOString() }
    await save('wait', [{ id: 'a', type: 'wait', wait }])
    const { run_id } = await run('wait')
    pass(-hour)
    pass(hour + 1)
    expect((await result(run_id)).status).toBe('waiting')
    pass(hour)
    expect(await until(run_id, 'completed')).toMatchObject({ steps: [{ attempt: 1 }] })
  })
})
