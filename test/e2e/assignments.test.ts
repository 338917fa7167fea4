import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchClient } from '../support/agent-client.ts'
import { leaveOut } from '../support/leave-out.ts'
import { askedOfAda, askedOfCy, type TwoClients, twoClients } from '../support/two-clients.ts'

const clients = { claude: fetchClient('claude'), codex: fetchClient('codex') }
const missing = clients.claude.missing || clients.codex.missing
leaveOut(missing)

const scratch = mkdtempSync(join(tmpdir(), 'muster-assignments-'))

/** A vendor's client as the daemon is to start it: it refuses to be run by root unless it stands in a sandbox. */
function program(name: 'claude' | 'codex'): string {
  const path = join(scratch, name)
  writeFileSync(path, `#!/bin/sh\nIS_SANDBOX=1 exec ${join(clients[name].bin ?? '', name)} "$@"\n`)
  chmodSync(path, 0o755)
  return path
}

describe.skipIf(missing)('two clients in one crew', { timeout: 300_000 }, () => {
  let scene: TwoClients

  beforeAll(async () => {
    scene = await twoClients({
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_ENV: 'development',
      SVC_CLAUDE_COMMAND: program('claude'),
      SVC_CODEX_COMMAND: program('codex'),
    })
  }, 120_000)

  afterAll(async () => {
    await scene?.remove()
    rmSync(scratch, { recursive: true, force: true })
  })

  it('lets one delegate to the other and use its answer', async () => {
    const { ada, daemon } = scene
    const { run, answer, runId } = await daemon.turn(ada, 'Ask Cy.')
    expect(run).toMatchObject({ status: 'COMPLETED', error_message: null })
    expect(answer?.content).toMatch(/^Told: .*COMPLETED.*The word is plum\./)
    const { assignments } = await daemon.client.runs.tree({ runId })
    expect(assignments).toMatchObject([{ agent_slug: 'cy', state: 'COMPLETED', task: 'Say the word.', depth: 1 }])
    const worked = await daemon.client.runs.show({ runId: assignments[0]!.run_id! })
    expect(worked).toMatchObject({ trigger_type: 'ASSIGNMENT', agent_slug: 'cy', status: 'COMPLETED' })
  })

  it('ends a loop of both at the limit, with an error that each is told', async () => {
    const { ada, claude, codex, daemon } = scene
    const { run, answer, runId } = await daemon.turn(ada, 'Pass it on.')
    expect(run.status).toBe('COMPLETED')
    const { assignments } = await daemon.client.runs.tree({ runId })
    expect(assignments.map(({ agent_slug, depth, state }) => [agent_slug, depth, state])).toEqual([
      ['cy', 1, 'COMPLETED'],
      ['ada', 2, 'COMPLETED'],
    ])
    const refused = 'Work may be delegated 2 times in a row (assignments.max_depth)'
    expect(claude.messages.some((body) => askedOfAda(body).last.includes(refused))).toBe(true)
    expect(codex.messages.some((body) => askedOfCy(body).last.includes(refused))).toBe(true)
    expect(answer?.content).toContain('assignments.max_depth')
  })

  it('brings a result once to an agent that has ended, though the daemon is killed in between', async () => {
    const { ada, codex, daemon, release } = scene
    const { chatId } = await daemon.turn(ada, 'Leave it with Cy.')
    const working = () => codex.messages.some((body) => askedOfCy(body).said.includes('Work slowly.'))
    await expect.poll(working, { timeout: 60_000 }).toBe(true)
    await daemon.kill()
    release()
    await daemon.start()
    const said = async () => (await daemon.messagesOf(chatId)).map(({ content }) => content)
    const brought = async () => (await said()).filter((text) => text.startsWith('Brought: '))
    await expect.poll(brought, { timeout: 120_000 }).toEqual(['Brought: > The word is plum.'])
    await daemon.kill()
    await daemon.start()
    expect((await said()).filter((text) => text.startsWith('What you delegated has ended'))).toHaveLength(1)
    expect(await brought()).toHaveLength(1)
  })
})
