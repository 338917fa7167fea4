import { afterEach, describe, expect, it, vi } from 'vitest'
import { endWhenDue } from '#kernel/jobs/due'
import { closing, daemon } from '#test'
import { refuseWrites } from '../../../support/refusing.ts'

afterEach(() => vi.useRealTimers())

/** Something that is due at once until a change ends it, which may be refused. */
async function scene(refusal: () => void) {
  const it = await daemon({ quiet: true })
  let due = true
  let attempts = 0
  const start = () =>
    closing(
      endWhenDue(it.app, {
        next: () => (due ? it.app.now() : null),
        end({ db }) {
          attempts++
          refusal()
          db.exec('DELETE FROM crews')
          due = false
        },
        woken: 'network.port_opened',
        failure: 'It could not be ended',
      }),
    )
  return { ...it, start, attempts: () => attempts, over: () => !due }
}

describe('what is due', () => {
  it('waits for a disk that refuses, without asking again and again', async () => {
    const it = await scene(() => undefined)
    const { mend } = refuseWrites(it.app)
    const write = vi.spyOn(it.app, 'write')
    it.start()
    while (it.app.storage.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(write).toHaveBeenCalledTimes(1)
    await mend()
    await it.app.idle()
    expect(it.over()).toBe(true)
    expect(write).toHaveBeenCalledTimes(2)
  })

  it('is tried again a minute after a fault, not at once', async () => {
    let faults = 1
    const it = await scene(() => {
      if (faults-- > 0) throw new Error('a bug')
    })
    // Timers only: the database and its commits go on in real time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      await it.app.write(() => undefined)
      await it.app.write(() => undefined)
    }
    it.start()
    await pass(0)
    await pass(59_000)
    expect(it.attempts()).toBe(1)
    await pass(1000)
    expect([it.attempts(), it.over()]).toEqual([2, true])
  })
})
