import { actorTypes, priorities, severities } from '#contract/entries'
import type { Combo } from '#kernel/journal/combos'
import type { JournalIndex } from '#kernel/journal/journal'
import type { Range } from '#kernel/journal/timeline'
import type { Filter } from './filter.ts'

/** The indexes of the journal. Each returns the entries of one key, newest first. */
export type Source =
  | 'ws'
  | 'combo'
  | 'crew'
  | 'agent'
  | 'type'
  | 'mission'
  | 'trace'
  | 'actor'
  | 'run'
  | 'severity'
  | 'priority'

export interface Stream {
  by: Source
  key: number
  /** Seq of the newest entry, if known. */
  last?: number
}

/** Conditions that the entries of a stream still have to meet. */
export interface Check {
  combos?: Set<number>
  missions?: Set<number>
  traces?: Set<number>
  runs?: Set<number>
  priorities?: Set<number>
}

/** How to read a filter's matches: the streams together contain them all within the ranges, and `check` filters. */
export interface Plan {
  ws: number
  ranges: Range[]
  streams: Stream[]
  check: Check | null
}

/** A filter with the journal's numbers instead of texts. An empty set matches nothing. */
export interface Wanted {
  ws: number
  crews?: Set<number>
  agents?: Set<number>
  types?: Set<number>
  withoutTypes?: Set<number>
  severities?: Set<number>
  actorTypes?: Set<number>
  missions?: Set<number>
  traces?: Set<number>
  runs?: Set<number>
  priorities?: Set<number>
}

/** Of more combinations than `few` a single column is read instead; of more than `many` their share decides. */
const few = 40
const many = 400
/** Share of matching entries from which a sequential read is faster. */
const dense = 0.1

/** Undefined in a workspace without entries. */
export function resolve({ names }: Pick<JournalIndex, 'names'>, workspace: string, filter: Filter): Wanted | undefined {
  const ws = names.find(0, workspace)
  if (ws === undefined) return undefined
  const named = (texts: string[] | undefined) =>
    texts && new Set(texts.map((text) => names.find(ws, text)).filter((name) => name !== undefined))
  const listed = (texts: string[] | undefined, all: readonly string[]) =>
    texts && new Set(texts.map((text) => all.indexOf(text)))
  return {
    ws,
    crews: named(filter.crews),
    agents: named(filter.agents),
    types: named(filter.types),
    withoutTypes: named(filter.withoutTypes),
    severities: listed(filter.severities, severities),
    actorTypes: listed(filter.actorTypes, actorTypes),
    missions: named(filter.missions),
    traces: named(filter.traces),
    runs: named(filter.runs),
    priorities: listed(filter.priorities, priorities),
  }
}

/** The matching combinations; null when the filter does not restrict them. */
export function matching(wanted: Wanted, combos: readonly Combo[]): Combo[] | null {
  const { crews, agents, types, withoutTypes, severities, actorTypes } = wanted
  if (!crews && !agents && !types && !withoutTypes?.size && !severities && !actorTypes) return null
  return combos.filter(
    (it) =>
      it.n > 0 &&
      (!crews || crews.has(it.crew)) &&
      (!agents || agents.has(it.agent)) &&
      (!types || types.has(it.type)) &&
      !withoutTypes?.has(it.type) &&
      (!severities || severities.has(it.severity)) &&
      (!actorTypes || actorTypes.has(it.actorType)),
  )
}

/** Chooses the streams to read within `ranges`, from exact counts. */
export function plan(wanted: Wanted, ranges: Range[], index: Pick<JournalIndex, 'combos'>): Plan {
  const { ws } = wanted
  const combos = matching(wanted, index.combos.of(ws))
  const rest: Check = {
    ...(combos && { combos: new Set(combos.map(({ combo }) => combo)) }),
    ...(wanted.missions && { missions: wanted.missions }),
    ...(wanted.runs && { runs: wanted.runs }),
    ...(wanted.priorities && wanted.priorities.size < priorities.length && { priorities: wanted.priorities }),
  }
  const made = (streams: Stream[], { ...check }: Check): Plan => ({
    ws,
    ranges,
    streams,
    check: Object.keys(check).length ? check : null,
  })
  const each = (by: Source, keys: Iterable<number>): Stream[] => [...keys].map((key) => ({ by, key }))

  if (combos?.length === 0) return made([], {})
  if (wanted.traces) return made(each('trace', wanted.traces), rest)
  const { runs, ...notRuns } = rest
  if (runs) return made([...each('trace', runs), ...each('actor', runs), ...each('run', runs)], notRuns)
  const { missions, ...notMissions } = rest
  if (missions) return made(each('mission', missions), notMissions)
  const { priorities: marks, ...notMarks } = rest
  if (marks && !marks.has(0)) return made(each('priority', marks), notMarks)
  if (!combos) return made(each('ws', [ws]), rest)
  const { combos: _covered, ...notCombos } = rest
  const single = singleSource(wanted, index.combos.of(ws))
  if (single && (single.length <= few || combos.length > few)) return made(single, notCombos)
  if (combos.length > many && combos.reduce((sum, { n }) => sum + n, 0) > dense * index.combos.total(ws))
    return made(each('ws', [ws]), rest)
  return made(
    combos.map(({ combo, last }) => ({ by: 'combo', key: combo, last })),
    notCombos,
  )
}

/** The streams of the filtered column, if it is the only one and has an index. */
function singleSource(wanted: Wanted, all: readonly Combo[]): Stream[] | null {
  const { crews, agents, types, withoutTypes, severities, actorTypes } = wanted
  const used = [crews, agents, types ?? withoutTypes, severities, actorTypes].filter((it) => it !== undefined)
  if (used.length !== 1) return null
  const streams = (by: Source, keys: Iterable<number>): Stream[] => [...keys].map((key) => ({ by, key }))
  if (crews) return streams('crew', crews)
  if (agents) return streams('agent', agents)
  if (severities) return [...severities].every((it) => it >= 1) ? streams('severity', severities) : null
  if (actorTypes) return null
  const present = types ?? new Set(all.map(({ type }) => type))
  return streams(
    'type',
    [...present].filter((type) => !withoutTypes?.has(type)),
  )
}
