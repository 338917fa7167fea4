import { describe, expect, it } from 'vitest'
import { createServer } from '#kernel/http/operations'
import { closing } from '#test'
import { itemId, type Raise, raise, settle } from '../../../daemon/features/inbox/service.ts'
import type { Sockets } from '../../../daemon/streams/ws.ts'
import { act, asked, askPlace } from '../../support/asks.ts'
import { init, result, says } from '../../support/claude-lines.ts'
import { type Cli, cliFor, type Ran } from '../../support/cli.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { openSockets, requested } from '../../support/live.ts'
import { rawEntry } from '../../support/raw-entry.ts'
import { type Workplace, workplace } from '../../support/runs.ts'

type Office = Workplace<FakeRuntime> & { muster: Cli; sockets: Sockets; runId: string; chatId: string }

/** A run that goes on. */
async function office(): Promise<Office> {
  const place = await workplace()
  const sockets = openSockets(place)
  const chatId = await place.openChat()
  const { run_id } = await place.send(chatId, 'hello')
  await place.runtime.program()
  return { ...place, sockets, muster: await cliFor(place, 'MANAGER'), runId: run_id, chatId }
}

async function complete({ runtime }: Office): Promise<void> {
  const program = await runtime.program()
  runtime.print(program, init, says('Done'), result())
  runtime.finish(program)
}

const put = ({ app, workspace }: Office, it: Partial<Raise> & Pick<Raise, 'kind' | 'source'>) =>
  app.writeNow(() =>
    raise(app, { workspace, target: 'workspace', title: 'May I?', blocking: true, now: app.now(), ...it }),
  )
const ask = (it: Office, more: Partial<Raise> = {}) =>
  put(it, { kind: 'escalation', source: 'e1', payload: { chat_id: it.chatId }, ...more })
const decide = ({ app, workspace }: Office) =>
  app.writeNow(() =>
    settle(app, { workspace, id: itemId('escalation', 'e1'), action: 'approve', by: null, now: app.now() }),
  )

/** Started, and listening: it asks for the run twice before it listens and once after. */
async function waiting(
  it: Pick<Office, 'http' | 'muster' | 'runId'>,
  ...flags: string[]
): Promise<{ ended: Promise<Ran> }> {
  const listens = requested(it, new RegExp(`/runs/${it.runId}$`), 3)
  const ended = it.muster.run('wait', it.runId, ...flags)
  await Promise.race([listens, ended.then(({ stderr }) => Promise.reject(new Error(`It did not wait: ${stderr}`)))])
  return { ended }
}

const resultOf = ({ stdout }: Ran) => JSON.parse(stdout)

describe('muster wait', () => {
  it('ends with 0 when the run completes, and at once when it is over', async () => {
    const it = await office()
    const { ended } = await waiting(it, '--json')
    await complete(it)
    const ran = await ended
    expect(ran.code).toBe(0)
    expect(resultOf(ran)).toEqual({
      run_id: it.runId,
      status: 'COMPLETED',
      exit_code: 0,
      error: null,
      inbox_id: null,
      title: null,
      timed_out: false,
      url: null,
      command: null,
    })
    expect(await it.muster.run('wait', it.runId, '-q')).toMatchObject({ code: 0, stdout: 'COMPLETED\n' })
  })

  it.each([
    ['FAILED', 1, { kind: 'exit', code: 9, timedOut: false }],
    ['TIMEOUT', 3, { kind: 'exit', code: 143, timedOut: true }],
  ] as const)('ends a %s run with %d', async (status, code, end) => {
    const it = await office()
    const { ended } = await waiting(it, '--json')
    it.runtime.finish(await it.runtime.program(), end)
    const ran = await ended
    expect([ran.code, resultOf(ran).status, resultOf(ran).timed_out]).toEqual([code, status, status === 'TIMEOUT'])
  })

  it('ends a cancelled run with 2', async () => {
    const it = await office()
    const { ended } = await waiting(it, '-q')
    await it.call('OWNER', 'POST', `/chats/${it.chatId}/cancel`)
    expect(await ended).toMatchObject({ code: 2, stdout: 'CANCELLED\n', stderr: '' })
  })

  it('ends with 3 when --timeout is over, and the run goes on', async () => {
    const it = await office()
    const ran = await it.muster.run('wait', it.runId, '--timeout', '300ms', '--json')
    expect([ran.code, resultOf(ran)]).toMatchObject([3, { status: 'RUNNING', timed_out: true }])
    expect(ran.stderr).toContain('It goes on')
    expect((await it.call('OWNER', 'GET', `/runs/${it.runId}`)).body.status).toBe('RUNNING')
  })

  it('ends with 5 at once when the run waits for a person, and names the item', async () => {
    const it = await office()
    ask(it, { title: 'May \u001b[31mI?' })
    const ran = await it.muster.run('wait', it.runId, '--json')
    expect([ran.code, resultOf(ran)]).toMatchObject([
      5,
      {
        status: 'NEEDS_HUMAN',
        inbox_id: 'ibx_escalation_e1',
        url: `${it.base}/api/v1/inbox/ibx_escalation_e1`,
        command: 'muster inbox show ibx_escalation_e1',
      },
    ])
    const plain = await it.muster.run('wait', it.runId)
    expect(plain).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Next: muster inbox show ibx_escalation_e1'),
    })
    expect(plain.stdout).not.toContain('\u001b')
  })

  it('ends with 5 when the question comes later', async () => {
    const it = await office()
    const { ended } = await waiting(it, '-q')
    ask(it)
    expect(await ended).toMatchObject({ code: 5, stdout: 'NEEDS_HUMAN\n' })
  })

  it('sees what another run waits for, and what waits for nobody, as no affair of its own', async () => {
    const it = await office()
    ask(it, { payload: { chat_id: 'other' } })
    ask(it, { source: 'e2', blocking: false })
    const { ended } = await waiting(it, '-q')
    put(it, { kind: 'run_needs_human', source: 'assignment', payload: { context: { run: it.runId } } })
    expect(await ended).toMatchObject({ code: 5 })
  })

  it('takes a completed run that waits for an answer for one that needs a human', async () => {
    const it = await office()
    put(it, { kind: 'run_needs_human', source: 'assignment', payload: { run_id: it.runId } })
    await complete(it)
    expect(await it.muster.run('wait', it.runId, '-q')).toMatchObject({ code: 5, stdout: 'NEEDS_HUMAN\n' })
  })

  it('tells whoever may not see the item, as long as the journal says that it is open', async () => {
    const it = await office()
    const tell = (state: string) =>
      it.app.writeNow(() =>
        rawEntry(it.app, {
          workspace_id: it.workspace,
          type: 'peer.escalation',
          severity: 'warn',
          summary: 'An agent asks',
          actor_type: 'agent',
          trace_id: it.runId,
          payload: { state, reason: 'May I?' },
          refs: { escalation_id: 'e9' },
        }),
      )
    const viewer = await cliFor(it, 'VIEWER')
    tell('pending')
    expect(await viewer.run('wait', it.runId, '-q')).toMatchObject({ code: 5 })
    expect(resultOf(await viewer.run('wait', it.runId, '--json'))).toMatchObject({
      inbox_id: 'ibx_escalation_e9',
      title: 'May I?',
    })
    tell('resolved')
    expect(await viewer.run('wait', it.runId, '-q', '--timeout', '300ms')).toMatchObject({ code: 3 })
  })

  it('goes on over questions with --until-decided, and ends when the run does', async () => {
    const it = await office()
    ask(it)
    const { ended } = await waiting(it, '--until-decided', '-q')
    decide(it)
    await complete(it)
    expect(await ended).toMatchObject({ code: 0, stdout: 'COMPLETED\n' })
  })

  it('goes on with a daemon that was restarted meanwhile', async () => {
    const it = await office()
    const { ended } = await waiting(it, '-q')
    const { port } = new URL(it.base)
    it.sockets.close()
    it.http.server.closeAllConnections()
    await it.http.close()
    await complete(it)
    const again = closing(createServer(it.app))
    openSockets({ app: it.app, http: again })
    await again.listen({ host: '127.0.0.1', port: Number(port) })
    expect(await ended).toMatchObject({ code: 0, stdout: 'COMPLETED\n' })
  })

  it('fails as every command does for unknown runs, bad input and no server', async () => {
    const it = await office()
    expect(await it.muster.run('wait', 'none', '--json')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('"exit_code":3'),
    })
    expect(await it.muster.run('wait')).toMatchObject({ code: 2, stdout: '' })
    expect(await it.muster.run('wait', it.runId, '--timeout', 'soon')).toMatchObject({ code: 2, stdout: '' })
    expect((await it.muster.run('wait', it.runId, '--server', 'http://127.0.0.1:1')).code).toBe(8)
  })
  it('sees the question of an agent that parked its run, whoever it is for, and goes on with the run', async () => {
    const it = await askPlace()
    openSockets(it)
    const { run_id, item, next } = await asked(it, { question: 'Which colour?' })
    const muster = await cliFor(it, 'VIEWER')
    const ran = await muster.run('wait', run_id, '--json')
    expect([ran.code, resultOf(ran)]).toMatchObject([
      5,
      { status: 'NEEDS_HUMAN', inbox_id: item, title: 'Which colour?' },
    ])
    const { ended } = await waiting({ ...it, muster, runId: run_id }, '--until-decided', '-q')
    expect((await act(it, item, { action: 'answer', input: 'Blue' })).status).toBe(200)
    const program = await next()
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    expect(await ended).toMatchObject({ code: 0, stdout: 'COMPLETED\n' })
  })
})
