import type { Static } from 'typebox'
import type { Matcher as MatcherSchema } from '#contract/automations'
import type { Entry } from '#contract/entries'

export type Matcher = Static<typeof MatcherSchema>

/** Conditions of a matcher: each name with whether an entry fulfils it. */
export type Clause = [name: string, holds: (entry: Entry) => boolean]

const among =
  (list: readonly string[] | undefined, of: (entry: Entry) => string | undefined) =>
  (entry: Entry): boolean => {
    const value = of(entry)
    return value !== undefined && list!.includes(value)
  }

/** What a matcher asks for; nothing for an empty one. A list that is empty asks for nothing, too. */
export function clausesOf({ crew_ids, agent_ids, mission_ids, severities, payload_equals = {} }: Matcher): Clause[] {
  const lists: [string, readonly string[] | undefined, (entry: Entry) => string | undefined][] = [
    ['crew_ids', crew_ids, ({ crew_id }) => crew_id],
    ['agent_ids', agent_ids, ({ agent_id }) => agent_id],
    ['mission_ids', mission_ids, ({ mission_id }) => mission_id],
    ['severities', severities, ({ severity }) => severity],
  ]
  return [
    ...lists.flatMap(([name, list, of]): Clause[] => (list?.length ? [[name, among(list, of)]] : [])),
    ...Object.entries(payload_equals).map(([key, wanted]): Clause => {
      const json = canonical(wanted)
      return [`payload_equals.${key}`, ({ payload }) => hasOwn(payload, key) && canonical(payload![key]) === json]
    }),
  ]
}

const hasOwn = (payload: Entry['payload'], key: string): boolean => payload !== undefined && Object.hasOwn(payload, key)

/** JSON with the members of objects in the order of their names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`
}

/** What entries have in common that become one run: the first that an entry has of mission, run, agent, crew. */
export const subjectOf = ({ mission_id, trace_id, agent_id, crew_id, workspace_id }: Entry): string =>
  mission_id
    ? `mission:${mission_id}`
    : trace_id
      ? `run:${trace_id}`
      : agent_id
        ? `agent:${agent_id}`
        : crew_id
          ? `crew:${crew_id}`
          : `workspace:${workspace_id}`

/** What inputs may name of an entry. */
export interface Event {
  id: string
  type: string
  severity: string
  summary: string
  mission_id?: string
  agent_id?: string
  crew_id?: string
  run_id?: string
  payload: Record<string, unknown>
}

/** Most characters of a payload that a run is given. */
const payloadLimit = 32_768

export function eventOf({
  id,
  entry_type,
  severity,
  summary,
  mission_id,
  agent_id,
  crew_id,
  trace_id,
  payload,
}: Entry): Event {
  const kept = payload && JSON.stringify(payload).length <= payloadLimit ? payload : {}
  return {
    id,
    type: entry_type,
    severity,
    summary,
    ...(mission_id && { mission_id }),
    ...(agent_id && { agent_id }),
    ...(crew_id && { crew_id }),
    ...(trace_id && { run_id: trace_id }),
    payload: kept,
  }
}

const reference = /\{\{\s*event\.([\w.-]{1,200})\s*\}\}/g
/** Most characters that one text of the inputs has once it is filled. */
const textLimit = 65_536

/** Inputs with what they name of an entry. What is inserted is not read again; what is unknown is left out. */
export function inputsFor(inputs: unknown, event: Event): unknown {
  if (typeof inputs === 'string')
    return inputs.replace(reference, (_, path: string) => shown(event, path)).slice(0, textLimit)
  if (Array.isArray(inputs)) return inputs.map((one) => inputsFor(one, event))
  if (typeof inputs !== 'object' || inputs === null) return inputs
  return Object.fromEntries(Object.entries(inputs).map(([name, one]) => [name, inputsFor(one, event)]))
}

function shown(event: Event, path: string): string {
  let found: unknown = event
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return ''
    found = (found as Record<string, unknown>)[name]
  }
  return typeof found === 'string' ? found : found === null || found === undefined ? '' : JSON.stringify(found)
}
