import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { waitingNotes } from '../../../support/waiting-notes.ts'
import { call, config, sidecar } from './support.ts'

const ada = { authorization: 'Bearer dummy-ada', 'x-svc-run-id': 'run-1', 'x-hook-event': 'PostToolUse' }

async function hooked() {
  const notes = waitingNotes()
  const { url } = await sidecar(config([], {}), { ask: notes.ask })
  return { notes, url: `${url}/hook` }
}

describe('the hook of an agent', () => {
  it('is told what waits, in the words of a hook, which is acknowledged once it is written', async () => {
    const { notes, url } = await hooked()
    expect(await call(url, { headers: ada, body: '' })).toMatchObject({ status: 204, body: '' })
    notes.leave('Look')
    const { status, body } = await call(url, { headers: ada, body: '{"tool_response":"x"}' })
    expect([status, JSON.parse(body)]).toEqual([
      200,
      { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'Look' } },
    ])
    await expect.poll(() => notes.taken).toEqual(['Look'])
    expect(notes.asked.map(({ route, runId }) => [route, runId])).toEqual([
      ['/notes', 'run-1'],
      ['/notes', 'run-1'],
      ['/notes/taken', 'run-1'],
    ])
  })

  it('may say more than other calls, of which nothing is read', async () => {
    const { notes, url } = await hooked()
    notes.leave('Look')
    expect((await call(url, { headers: ada, body: 'x'.repeat(3 * 1024 * 1024) })).status).toBe(200)
  })

  it('is known by its key alone', async () => {
    const { notes, url } = await hooked()
    notes.leave('Look')
    expect((await call(url, { headers: { ...ada, authorization: 'Bearer other' }, body: '' })).status).toBe(401)
    expect(notes.asked).toEqual([])
  })

  it('that has gone before the answer takes nothing', async () => {
    let answer = (_: unknown) => {}
    const asked: string[] = []
    const { url } = await sidecar(config([], {}), {
      ask: ({ route }) => {
        asked.push(route)
        return { answer: new Promise((resolve) => (answer = resolve as typeof answer)), hangUp: gone }
      },
    })
    let gone = () => {}
    const left = new Promise<void>((resolve) => {
      gone = resolve
    })
    const out = request(`${url}/hook`, { method: 'POST', headers: ada }).on('error', () => undefined)
    out.end()
    await expect.poll(() => asked).toEqual(['/notes'])
    out.destroy()
    await left
    answer({ status: 200, body: { receipt: 'r', text: 'Look' } })
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toEqual(['/notes'])
  })

  it('waits two seconds for a daemon that went away', async () => {
    const { url } = await sidecar(config([], {}), {
      ask: () => ({ answer: new Promise(() => undefined), hangUp: () => undefined }),
    })
    const begun = performance.now()
    expect((await call(`${url}/hook`, { headers: ada, body: '' })).status).toBe(204)
    expect(performance.now() - begun).toBeGreaterThan(1900)
  })
})
