import { type Installation, install } from './installation.ts'
import {
  type MessagesBody,
  type ModelEndpoint,
  modelEndpoint,
  type ScriptedTool,
  type ScriptedTurn,
} from './model-endpoint.ts'
import { type ResponsesBody, responsesEndpoint } from './responses-endpoint.ts'

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

export function askedOfAda({ messages }: MessagesBody): Asked {
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

export function askedOfCy({ input }: ResponsesBody): Asked {
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

/** Ada with one vendor's client and Cy with another's, who share the work of a crew. */
export interface TwoClients {
  daemon: Installation
  claude: ModelEndpoint<MessagesBody>
  codex: ModelEndpoint<ResponsesBody>
  /** Ids of the crew and of Ada. */
  crew: string
  ada: string
  /** Lets Cy finish what he works on slowly. */
  release(): void
  remove(): Promise<void>
}

/** A daemon with such a crew; its model services listen at `host`. */
export async function twoClients(settings: Record<string, string>, host = '127.0.0.1'): Promise<TwoClients> {
  let release = () => {}
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const byAda = (tool: string, input: object) => ({ name: `mcp__muster__${tool}`, input: { ...input } })
  const claude = await modelEndpoint(
    (body) => {
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
    },
    { host },
  )
  const byCy = (tool: string, input: object) => ({ name: `mcp__muster.${tool}`, input: { ...input } })
  const codex = await responsesEndpoint(
    async (body) => {
      const asked = askedOfCy(body)
      if (asked.said.includes('Pass it on.')) return delegate(asked, byCy, { target: 'ada', task: 'Pass it on.' })
      if (asked.said.includes('Work slowly.')) await slow
      return { text: 'The word is plum.' }
    },
    { host },
  )
  const daemon = await install({ ...settings, SVC_ANTHROPIC_URL: claude.url, SVC_OPENAI_URL: codex.url })
  const { client: api } = daemon
  const crew = (await api.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  const hands = [
    ['ada', 'CLAUDE_CODE', 'ANTHROPIC', 'scripted-model', 'ANTHROPIC_API_KEY'],
    ['cy', 'CODEX_CLI', 'OPENAI', 'gpt-5', 'OPENAI_API_KEY'],
  ] as const
  let ada = ''
  for (const [slug, cli_adapter, provider, llm_model, env_var_name] of hands) {
    const client = { cli_adapter, llm_provider: provider, llm_model }
    const { id: agentId } = await api.agents.create({ body: { name: slug, slug, crew_id: crew, ...client } })
    const key = { name: slug, value: `sk-${slug}-7f3a91c2d4`, type: 'API_KEY', provider } as const
    const { id } = await api.credentials.create({ body: key })
    await api.credentials.assign({ agentId, body: { credential_id: id, env_var_name } })
    if (slug === 'ada') ada = agentId
  }
  await api.crews.start({ crewId: crew })
  return {
    daemon,
    claude,
    codex,
    crew,
    ada,
    release,
    async remove() {
      await daemon.remove()
      await claude.close()
      await codex.close()
    },
  }
}
