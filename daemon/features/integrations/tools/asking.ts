import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { quotedLines } from '#kernel/quoted-lines'
import { open, settle } from '../../decisions/service.ts'
import type { ServerRow } from '../queries.ts'
import { changeOf, waitingOf } from './held.ts'
import { heldTools } from './kind.ts'
import { type ListRow, queries, type ToolRow } from './queries.ts'

/** Tools whose changes a card shows. */
const mostShown = 10
const mostCharacters = 2000

export const unread = (server: string): ListRow => ({
  server_id: server,
  tried_at: null,
  listed_at: null,
  failure: null,
  left_out: 0,
  decision_id: null,
})

interface Told {
  outcome: 'approved' | 'refused'
  actor: Actor
}

/**
 * Brings the card of a server to the tools that wait now: one card, which names what is decided. `told` says how it
 * ends, where nothing waits any more because somebody decided.
 */
export function askAbout(app: App, server: ServerRow, now: string, told?: Told): void {
  const { list: listOf, saveList } = queries(app.db)
  const list = listOf.get(server.id) ?? unread(server.id)
  const { tools } = waitingOf(app, server.id)
  if (list.decision_id !== null) {
    const ends = told && !tools.length
    settle(app, list.decision_id, {
      ...(ends ? { state: 'decided', outcome: told.outcome } : { state: 'withdrawn' }),
      actor: told?.actor ?? null,
      now,
      ...(!ends && { comment: 'What waits has changed' }),
    })
  }
  const decision_id = tools.length ? newId(app.clock()) : null
  saveList.run({ ...list, decision_id })
  if (decision_id !== null) ask(app, server, decision_id, tools, now)
}

function ask(app: App, server: ServerRow, id: string, tools: readonly ToolRow[], now: string): void {
  const { workspace_id, crew_id, name } = server
  const count = tools.length === 1 ? '1 tool' : `${tools.length} tools`
  const more = tools.length - mostShown
  open(app, heldTools, {
    id,
    workspace: workspace_id,
    asked: `Whether agents may use ${count} of the integration ${name}`,
    crew: crew_id,
    card: {
      source: server.id,
      title: `${name}: ${count} to approve`,
      body: [
        `The server says other things of its tools than what was approved. Agents cannot call these until then.`,
        ...tools.slice(0, mostShown).map(described),
        ...(more > 0 ? [`${more} more: \`muster integrations tools ${name}\``] : []),
      ].join('\n\n'),
      sender: { type: 'system', name: 'Muster' },
      priority: 'medium',
      blocking: false,
      attention: 'review',
      target: { role: crew_id === null ? 'ADMIN' : heldTools.role },
      payload: () => ({
        kind: 'integration_tools',
        integration_id: server.id,
        ...(crew_id !== null && { crew_id }),
        tools: tools.slice(0, mostShown).map((tool) => tool.name),
        count: tools.length,
      }),
    },
    now,
  })
}

function described(tool: ToolRow): string {
  const change = changeOf(tool) ?? ''
  const cut = change.length > mostCharacters ? `${change.slice(0, mostCharacters)}…` : change
  return `**\`${tool.name}\`**: ${tool.held_for}\n\n${quotedLines(cut)}`
}
