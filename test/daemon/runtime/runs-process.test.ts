import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { desiredCrew } from '../../../daemon/features/crews/containers/service.ts'
import { ProcessRuntime } from '../../../daemon/runtime/process/runtime.ts'
import { answerCalls } from '../../../daemon/runtime/sidecar-calls.ts'
import { sidecarConfig } from '../../../daemon/runtime/sidecar-config.ts'
import { survivors } from '../../support/agent-client.ts'
import { attachRuns, openStream, workplace } from '../../support/runs.ts'

const root = new URL('../../..', import.meta.url).pathname

/** A daemon whose agents are real processes, played by the scripted stand-in. */
async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-runs-'))
  closing({ close: () => rmSync(folder, { recursive: true, force: true }) })
  const runtime = new ProcessRuntime({ folder, programs: join(root, 'daemon/runtime/spool') })
  closing(runtime)
  const command = join(root, 'templates/demo/claude-stand-in/claude')
  return workplace({ runtime, config: { containerProvider: 'process', vendor: { 'process.claude_command': command } } })
}

const last = async (it: Awaited<ReturnType<typeof place>>, chat: string) =>
  (await it.call('OWNER', 'GET', `/chats/${chat}/messages`)).body.messages.at(-1)
const runOf = async (it: Awaited<ReturnType<typeof place>>, id: string) =>
  (await it.call('OWNER', 'GET', `/runs/${id}`)).body

describe('runs of real processes', () => {
  it('work, and leave files that can be read', async () => {
    const it = await place()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'run: echo "made here" > made.txt && cat made.txt')
    await it.runs.ended(run_id)
    expect(await runOf(it, run_id)).toMatchObject({ status: 'COMPLETED', exit_code: 0, model: 'scripted-stand-in' })
    const { content, tool_summary, parts } = await last(it, chat)
    expect({ content, tool_summary }).toEqual({
      content: 'I run it. (scripted-stand-in: no model was asked.)\n\nIt is done.',
      tool_summary: 'Bash',
    })
    expect(parts.map(({ type, content }: { type: string; content: string }) => [type, content])).toContainEqual([
      'tool_result',
      'made here',
    ])
    expect((await it.call('OWNER', 'GET', `/agents/${it.agentId}/files`)).body).toMatchObject([
      { path: 'made.txt', size: 10 },
    ])
    expect((await it.call('OWNER', 'GET', `/agents/${it.agentId}/files/download?path=made.txt`)).text).toBe(
      'made here\n',
    )
  })

  it('are ended with all that they started', async () => {
    const it = await place()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'run: echo $$ > pid.txt; exec sleep 1000')
    const stream = await openStream(it.base, it.person('OWNER'), chat)
    await stream.until('tool_call')
    await expect
      .poll(async () => (await it.call('OWNER', 'GET', `/agents/${it.agentId}/files/download?path=pid.txt`)).text)
      .toMatch(/^\d+\n/)
    const pid = Number((await it.call('OWNER', 'GET', `/agents/${it.agentId}/files/download?path=pid.txt`)).text)
    process.kill(pid, 0)
    expect((await it.call('OWNER', 'POST', `/agents/${it.agentId}/stop`)).body).toEqual({
      id: it.agentId,
      status: 'stopped',
    })
    expect(() => process.kill(pid, 0)).toThrow()
    expect(await runOf(it, run_id)).toMatchObject({ status: 'CANCELLED' })
    expect((await stream.rest()).at(-1)).toMatchObject({ reason: 'run_complete' })
  })

  it('take no longer than they may', async () => {
    const it = await place()
    await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { timeout_seconds: 1 })
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'wait')
    await it.runs.ended(run_id)
    expect(await runOf(it, run_id)).toMatchObject({ status: 'TIMEOUT' })
    expect((await last(it, chat)).content).toBe('I wait until you interrupt me. ')
  })

  it('go on while no daemon is there', async () => {
    const it = await place()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'count slowly to 12')
    const stream = await openStream(it.base, it.person('OWNER'), chat)
    await stream.until('text')
    await it.runs.close()
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    await it.runs.ended(run_id)
    expect((await last(it, chat)).content).toBe('1 2 3 4 5 6 7 8 9 10 11 12 ')
    expect(
      it.entries().filter(({ trace_id, entry_type }) => trace_id === run_id && entry_type === 'run.completed'),
    ).toHaveLength(1)
  })

  it('ask a person, are gone while nobody answers, and go on as the same run', async () => {
    const it = await place()
    answerCalls(it.app, it.runtime)
    await it.runtime.configureSidecar(it.crewId, sidecarConfig(it.app, desiredCrew(it.app, it.crewId)!))
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'ask: Postgres or SQLite?')
    const stream = await openStream(it.base, it.person('OWNER'), chat)
    const told = await stream.until('done')
    expect(told.at(-1)).toMatchObject({ metadata: { trace_id: run_id, parked: true } })
    await it.runs.ended(run_id)
    expect(survivors(run_id)).toEqual([])
    expect(await runOf(it, run_id)).toMatchObject({ status: 'RUNNING' })
    const [item] = (await it.call('OWNER', 'GET', '/inbox')).body.rows
    expect(item).toMatchObject({ kind: 'run_needs_human', body_md: 'Postgres or SQLite?' })
    await it.runs.close()
    it.runs = attachRuns(it, it.runtime)
    await it.runs.recover()
    expect(
      (await it.call('OWNER', 'POST', `/inbox/${item.id}/act`, { action: 'answer', input: 'SQLite' })).status,
    ).toBe(200)
    await it.runs.ended(run_id)
    expect((await last(it, chat)).content).toBe('Thank you. I go on with this: SQLite')
    expect(
      it
        .entries()
        .filter(
          ({ trace_id, entry_type }) =>
            trace_id === run_id && /^run\.(completed|failed|cancelled|timeout)$/.test(entry_type),
        ),
    ).toMatchObject([{ entry_type: 'run.completed' }])
    const spools = readdirSync(it.runtime.places(it.crewId, { agentId: it.agentId, slug: 'ada', uid: 20001 }).runs)
    expect(spools).toEqual([expect.stringMatching(/^session-/)])
  })

  it('say a lot, all of it', async () => {
    const it = await place()
    const chat = await it.openChat()
    const { run_id } = await it.send(chat, 'count to 20000')
    await it.runs.ended(run_id)
    expect((await last(it, chat)).content).toBe(Array.from({ length: 20_000 }, (_, n) => `${n + 1} `).join(''))
  })
})
