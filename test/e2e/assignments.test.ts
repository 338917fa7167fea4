import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchClient } from '../support/agent-client.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import {
  type MessagesBody,
  type ModelEndpoint,
  modelEndpoint,
  type ScriptedTool,
  type ScriptedTurn,
} from '../support/model-endpoint.ts'
import { type ResponsesBody, responsesEndpoint } from '../support/responses-endpoint.ts'

// Ada with one vendor's client and Cy with another's share the work of a crew.

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

interface Asked {
  /** What the agent was asked last. */
  said: string
  /** How many results of Muster's tools it has since, and the last of them. */
  steps: number
  last: string
  /** Its client was asked for a tool too early. */
  early: boolean
}

const askedIn = (said: string, outputs: unknown[]): Asked => {
  const all = outputs.map((output) => JSON.stringify(output))
  const results = all.filter((output) => output.includes('assignment'))
  return {
    said,
    steps: results.length,
    last: results.at(-1) ?? '',
    early: all.at(-1)?.includes('still connecting') === true,
  }
}

function askedOfAda({ messages }: MessagesBody): Asked {
  const blocks = messages.map(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content, content: '' as unknown }] : content,
  )
  const isAsked = (n: number) => messages[n]!.role === 'user' && blocks[n]!.some(({ type }) => type === 'text')
  const at = messages.findLastIndex((_, n) => isAsked(n))
  const results = blocks.slice(at + 1).flatMap((all) => all.filter(({ type }) => type === 'tool_result'))
  const said = blocks[at]?.map(({ text }) => text ?? '').join('\n') ?? ''
  return askedIn(
    said,
    results.map(({ content }) => content),
  )
}

function askedOfCy({ input }: ResponsesBody): Asked {
  const at = input.findLastIndex(({ role, content }) => role === 'user' && !content?.[0]?.text?.startsWith('<'))
  const results = input.slice(at).filter(({ type }) => type === 'function_call_output')
  const said = input[at]?.content?.map(({ text }) => text).join('') ?? ''
  return askedIn(
    said,
    results.map(({ output }) => output),
  )
}

const made = (text: string) => /assignment_id\W+(c[0-9a-z]{24})/.exec(text)?.[1] ?? 'none'

/** Gives work to the other, then waits for it, then says what became of it. */
function delegate(
  { steps, last }: Asked,
  use: (tool: string, input: object) => ScriptedTool,
  work: object,
): ScriptedTurn {
  if (steps === 0) return { tools: [use('assign', work)] }
  if (steps === 1 && !last.includes('max_depth'))
    return { tools: [use('assignment_result', { assignment_id: made(last) })] }
  return { text: `Told: ${last}` }
}

describe.skipIf(missing)('two clients in one crew', { timeout: 300_000 }, () => {
  let daemon: Installation
  let claude: ModelEndpoint<MessagesBody>
  let codex: ModelEndpoint<ResponsesBody>
  let ada = ''
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })

  beforeAll(async () => {
    const byAda = (tool: string, input: object) => ({ name: `mcp__muster__${tool}`, input: { ...input } })
    claude = await modelEndpoint((body) => {
      const asked = askedOfAda(body)
      if (asked.early) return { tools: [{ name: 'WaitForMcpServers', input: {} }] }
      if (asked.said.includes('What you delegated has ended'))
        return { text: `Brought: ${asked.said.split('\n').at(-3)}` }
      if (asked.said.includes('Leave it with Cy.'))
        return asked.steps
          ? { text: 'I leave it.' }
          : { tools: [byAda('assign', { target: 'cy', task: 'Work slowly.' })] }
      if (asked.said.includes('Ask Cy.')) return delegate(asked, byAda, { target: 'cy', task: 'Say the word.' })
      if (asked.said.includes('Pass it on.')) return delegate(asked, byAda, { target: 'cy', task: 'Pass it on.' })
      return { text: 'Hello.' }
    })
    const byCy = (tool: string, input: object) => ({ name: `mcp__muster.${tool}`, input: { ...input } })
    codex = await responsesEndpoint(async (body) => {
      const asked = askedOfCy(body)
      if (asked.said.includes('Pass it on.')) return delegate(asked, byCy, { target: 'ada', task: 'Pass it on.' })
      if (asked.said.includes('Work slowly.')) await slow
      return { text: 'The word is plum.' }
    })
    daemon = await install({
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_ENV: 'development',
      SVC_CLAUDE_COMMAND: program('claude'),
      SVC_CODEX_COMMAND: program('codex'),
      SVC_ANTHROPIC_URL: claude.url,
      SVC_OPENAI_URL: codex.url,
    })
    const { client: api } = daemon
    const crewId = (await api.crews.create({ body: { name: 'Works', slug: 'works' } })).id
    const hands = [
      ['ada', 'CLAUDE_CODE', 'ANTHROPIC', 'scripted-model', 'ANTHROPIC_API_KEY'],
      ['cy', 'CODEX_CLI', 'OPENAI', 'gpt-5', 'OPENAI_API_KEY'],
    ] as const
    for (const [slug, cli_adapter, provider, llm_model, env_var_name] of hands) {
      const client = { cli_adapter, llm_provider: provider, llm_model }
      const { id: agentId } = await api.agents.create({ body: { name: slug, slug, crew_id: crewId, ...client } })
      const key = { name: slug, value: `sk-${slug}-7f3a91c2d4`, type: 'API_KEY', provider } as const
      const { id } = await api.credentials.create({ body: key })
      await api.credentials.assign({ agentId, body: { credential_id: id, env_var_name } })
      if (slug === 'ada') ada = agentId
    }
    await api.crews.start({ crewId })
  }, 120_000)

  afterAll(async () => {
    await daemon?.remove()
    await claude?.close()
    await codex?.close()
    rmSync(scratch, { recursive: true, force: true })
  })

  it('lets one delegate to the other and use its answer', async () => {
    const { run, answer, runId } = await daemon.turn(ada, 'Ask Cy.')
    expect(run).toMatchObject({ status: 'COMPLETED', error_message: null })
    expect(answer?.content).toMatch(/^Told: .*COMPLETED.*The word is plum\./)
    const { assignments } = await daemon.client.runs.tree({ runId })
    expect(assignments).toMatchObject([{ agent_slug: 'cy', state: 'COMPLETED', task: 'Say the word.', depth: 1 }])
    const worked = await daemon.client.runs.show({ runId: assignments[0]!.run_id! })
    expect(worked).toMatchObject({ trigger_type: 'ASSIGNMENT', agent_slug: 'cy', status: 'COMPLETED' })
  })

  it('ends a loop of both at the limit, with an error that each is told', async () => {
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
