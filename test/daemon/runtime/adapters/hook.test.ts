import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { commandHook } from '#runtime/adapters/hook'
import { waitingNotes } from '../../../support/waiting-notes.ts'
import { config, sidecar } from '../sidecar/support.ts'

const words = 'Grace says, while you work:\n> Use "SQLite" \\ %s $HOME `id` \'x\' ä 你 \u0007'

/** What a client gets of the hook's command, as the agent runs it. */
function output(origin: string): Promise<{ code: number; stdout: string }> {
  const { command } = commandHook({ via: 'sidecar', key: 'dummy-ada', origin }, 'AfterTool', 10)!
  expect(command).not.toContain('dummy-ada')
  const env = { PATH: process.env['PATH'], SVC_AGENT_TOKEN: 'dummy-ada', SVC_RUN_ID: 'run-1', SVC_SIDECAR_URL: origin }
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { env }, (error, stdout) => resolve({ code: Number(error?.code ?? 0), stdout }))
  })
}

describe('a hook that is a command', () => {
  it('prints what waits for the agent, once, and nothing where nothing waits', async () => {
    const notes = waitingNotes()
    const { url } = await sidecar(config([], {}), { ask: notes.ask })
    expect(await output(url)).toEqual({ code: 0, stdout: '' })
    notes.leave(words)
    const { code, stdout } = await output(url)
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: words } },
    ])
    await expect.poll(() => notes.taken).toEqual([words])
    expect(await output(url)).toEqual({ code: 0, stdout: '' })
  })

  it('disturbs no agent whose sidecar refuses, or is gone', async () => {
    const { url } = await sidecar(null, {})
    expect(await output(url)).toEqual({ code: 0, stdout: '' })
    expect(await output('http://127.0.0.1:1')).toEqual({ code: 0, stdout: '' })
  })

  it('is absent without a sidecar', () =>
    expect(commandHook({ via: 'direct', kind: 'api_key', token: 't', baseUrl: null }, 'AfterTool', 10)).toBeNull())
})
