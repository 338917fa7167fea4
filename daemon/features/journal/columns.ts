import { actorTypes, type Entry, priorities, severities } from '#contract/entries'
import type { Db } from '#kernel/store/db'

/** The columns beside an entry's document, by which lists are filtered. */
export interface Columns {
  id: string
  ts: number
  combo: number
  crew: number | null
  agent: number | null
  type: number
  severity: number
  mission: number | null
  trace: number | null
  actor: number | null
  run: number | null
  priority: number
}

export const columnNames = 'id, ts, combo, crew, agent, type, severity, mission, trace, actor, run, priority'

interface Parts {
  ws: number
  crew: number
  agent: number
  type: number
  severity: number
  actorType: number
}

/** Most texts kept in memory, after which the cache is cleared. */
const cacheLimit = 50_000

/** Compares the columns of a workspace's entries with their documents; returns the name of the first that differs. */
export function createColumnCheck(
  db: Db,
  ws: number,
  workspace: string,
): (row: Columns, entry: Entry, erased: boolean) => string | null {
  const textOf = remember(
    db.prepare<[number, number], string>('SELECT text FROM journal_names WHERE name = ? AND ws = ?').pluck(),
    ws,
  )
  const partsOf = remember(
    db.prepare<[number, number], Parts>(
      'SELECT ws, crew, agent, type, severity, actor_type AS actorType FROM journal_combos WHERE combo = ? AND ws = ?',
    ),
    ws,
  )
  const names = (column: number | null, text: string | undefined) =>
    column === null ? text === undefined : textOf(column) === text
  const combines = ({ combo, crew, agent, type, severity }: Columns, actorType: number) => {
    const parts = partsOf(combo)
    return (
      parts !== undefined &&
      parts.crew === (crew ?? 0) &&
      parts.agent === (agent ?? 0) &&
      parts.type === type &&
      parts.severity === severity &&
      parts.actorType === actorType
    )
  }

  return (row, entry, erased) => {
    const run = entry.payload?.['run_id']
    if (row.id !== entry.id) return 'id'
    if (row.ts !== Date.parse(entry.ts)) return 'ts'
    if (entry.workspace_id !== workspace) return 'ws'
    if (!names(row.crew, entry.crew_id)) return 'crew'
    if (!names(row.agent, entry.agent_id)) return 'agent'
    if (!names(row.type, entry.entry_type)) return 'type'
    if (severities[row.severity] !== entry.severity) return 'severity'
    if (!names(row.mission, entry.mission_id)) return 'mission'
    if (!names(row.trace, entry.trace_id)) return 'trace'
    if (!names(row.actor, entry.actor_id)) return 'actor'
    if (!erased && !names(row.run, typeof run === 'string' ? run : undefined)) return 'run'
    if (priorities[row.priority] !== entry.priority) return 'priority'
    return combines(row, actorTypes.indexOf(entry.actor_type)) ? null : 'combo'
  }
}

function remember<T>(
  statement: { get(key: number, ws: number): T | undefined },
  ws: number,
): (key: number) => T | undefined {
  const known = new Map<number, T | undefined>()
  return (key) => {
    if (known.has(key)) return known.get(key)
    if (known.size >= cacheLimit) known.clear()
    const value = statement.get(key, ws)
    known.set(key, value)
    return value
  }
}
