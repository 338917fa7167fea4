import type { Static } from 'typebox'
import type { BareRun, Run } from '#contract/runs'
import { age, dollars, span, status, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import type { ToldRun } from '../runs/told.ts'

type Row = Static<typeof BareRun> & Partial<Pick<Static<typeof Run>, 'agent_name' | 'agent_slug' | 'crew_name'>>

const lasted = ({ started_at, finished_at }: Row) => {
  if (!finished_at) return null
  const seconds = (Date.parse(finished_at) - Date.parse(started_at)) / 1000
  return { text: seconds < 1 ? '< 1 s' : span(seconds), value: seconds }
}

/** All that the model service processed: input, cached or not, and output. */
const tokens = (run: Row): number | null =>
  typeof run.input_tokens !== 'number'
    ? null
    : run.input_tokens + (run.output_tokens ?? 0) + (run.cache_read_tokens ?? 0) + (run.cache_write_tokens ?? 0)

const cost = (run: Row) => (run.finished_at && tokens(run) ? dollars(run.cost_usd) : null)

const parts: [member: keyof Row, says: string][] = [
  ['input_tokens', 'input'],
  ['cache_read_tokens', 'from the cache'],
  ['cache_write_tokens', 'to the cache'],
  ['output_tokens', 'output'],
  ['reasoning_tokens', 'of it reasoning'],
]

/** "12040: 40 input, 11800 from the cache, 200 output" */
function tokensInParts(run: Row) {
  const all = tokens(run)
  if (all === null) return null
  const told = parts.flatMap(([member, says]) => (run[member] ? [`${run[member]} ${says}`] : []))
  return { text: told.length ? `${all}: ${told.join(', ')}` : String(all), value: all }
}

/** A run that waits for a person has no program: it runs as far as the server's words go. */
const standing = ({ status, parked_at }: Row) => (status === 'RUNNING' && parked_at ? 'WAITING' : status)

export const runView: View<Row> = {
  name: ({ id }) => id,
  empty: 'There are no such runs. Next: muster ask AGENT "..."',
  columns: {
    ID: ({ id }) => id,
    AGENT: ({ agent_slug, agent_id }) => agent_slug ?? agent_id,
    STATUS: (it) => status(standing(it)),
    TRIGGER: ({ trigger_type }) => word(trigger_type),
    LASTED: lasted,
    TOKENS: tokens,
    COST: cost,
    ERROR: ({ error_message }) => (error_message ? { text: error_message, tone: 'red' } : null),
    AGE: ({ started_at }) => age(started_at),
  },
  detail: {
    Id: ({ id }) => id,
    Agent: ({ agent_slug, agent_id }) => agent_slug ?? agent_id,
    Crew: ({ crew_name }) => crew_name,
    Status: (it) => status(standing(it)),
    'Waiting since': ({ parked_at }) => when(parked_at),
    'Waits for': ({ inbox_item_id }) => inbox_item_id,
    Error: ({ error_message }) => (error_message ? { text: error_message, tone: 'red' } : null),
    'Exit code': ({ exit_code }) => exit_code,
    Trigger: ({ trigger_type }) => trigger_type.toLowerCase(),
    'Started by': ({ triggered_by }) => triggered_by,
    Chat: ({ chat_id }) => chat_id,
    Started: ({ started_at }) => when(started_at),
    Finished: ({ finished_at }) => when(finished_at),
    Lasted: lasted,
    Tokens: tokensInParts,
    Cost: cost,
    'Prices of': ({ prices_as_of }) => prices_as_of,
    Model: ({ model }) => model,
    'CLI version': ({ cli_version }) => cli_version,
    Permissions: ({ permission_mode }) => permission_mode,
    'Refused tools': ({ permission_denials }) => permission_denials?.length || null,
    'Lines left out': ({ left_out_lines }) => left_out_lines ?? null,
    'Failed tool servers': ({ mcp_server_errors }) => mcp_server_errors?.length || null,
  },
}

/** Tools that are named one by one. */
const toolsShown = 20

function conversation({ asked, said, tool_calls }: ToldRun): string {
  const tools = tool_calls.map(({ name, brief, status }) =>
    `${status === 'failed' ? '✗' : '•'} ${name}  ${brief}`.trim(),
  )
  const more = tools.length - toolsShown
  const parts = [
    asked.map((text) => text.replace(/^/gm, '> ')).join('\n\n'),
    [...tools.slice(0, toolsShown), ...(more > 0 ? [`… ${more} more`] : [])].join('\n'),
    said,
  ]
  return parts.filter((part) => part.trim()).join('\n\n')
}

export const toldRunView: View<ToldRun> = {
  name: runView.name,
  columns: runView.columns as View<ToldRun>['columns'],
  detail: {
    ...(runView.detail as View<ToldRun>['columns']),
    'Started by': ({ started_by, triggered_by }) => started_by ?? triggered_by,
  },
  below: conversation,
}
