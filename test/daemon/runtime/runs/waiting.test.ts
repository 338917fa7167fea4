import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pause, unless } from '../../../../daemon/runtime/runs/waiting.ts'

/** A signal that counts who listens. */
function signalled() {
  const controller = new AbortController()
  const listeners = new Set<unknown>()
  const { signal } = controller
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  vi.spyOn(signal, 'addEventListener').mockImplementation((type, listener, options) => {
    if (type === 'abort') listeners.add(listener)
    add(type, listener as () => void, options)
  })
  vi.spyOn(signal, 'removeEventListener').mockImplementation((type, listener) => {
    if (type === 'abort') listeners.delete(listener)
    remove(type, listener as () => void)
  })
  return { signal, listeners, abort: () => controller.abort() }
}

describe('a pause', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('ends at its time, and leaves no listener behind', async () => {
    const { signal, listeners } = signalled()
    const over = vi.fn()
    void pause(1000, signal).then(over)
    await vi.advanceTimersByTimeAsync(999)
    expect([over.mock.calls.length, listeners.size]).toEqual([0, 1])
    await vi.advanceTimersByTimeAsync(1)
    expect([over.mock.calls.length, listeners.size]).toEqual([1, 0])
  })

  it('ends with its signal, and leaves no timer behind', async () => {
    const { signal, listeners, abort } = signalled()
    const ended = pause(1000, signal)
    abort()
    await ended
    expect([vi.getTimerCount(), listeners.size]).toEqual([0, 0])
    await pause(1000, signal)
    expect([vi.getTimerCount(), listeners.size]).toEqual([0, 0])
  })
})

describe('work with a signal', () => {
  it('comes to its result or its error, and leaves no listener behind', async () => {
    const { signal, listeners } = signalled()
    expect(await unless(signal, async () => 3)).toBe(3)
    await new Promise(setImmediate)
    expect(listeners.size).toBe(0)
    const fails = unless(signal, () => Promise.reject(new Error('no')))
    expect(listeners.size).toBe(1)
    await expect(fails).rejects.toThrow('no')
    await new Promise(setImmediate)
    expect(listeners.size).toBe(0)
  })

  it('comes to nothing when the signal comes first, and is not begun after it', async () => {
    const { signal, abort } = signalled()
    const never = unless(signal, () => new Promise<number>(() => undefined))
    abort()
    expect(await never).toBeUndefined()
    const work = vi.fn()
    expect(await unless(signal, work)).toBeUndefined()
    expect(work).not.toHaveBeenCalled()
  })
})
