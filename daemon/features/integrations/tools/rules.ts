import { mostTools } from '#contract/integration-tools'
import { differences, type Listed, plainName, suspicion } from './definition.ts'
import type { ToolRow } from './queries.ts'

/** What a list makes of the tools that are known. */
export interface Plan {
  created: ToolRow[]
  updated: ToolRow[]
  removed: ToolRow[]
  /** Those of the first two that wait for people since this list. */
  held: ToolRow[]
}

interface Reading {
  server: string
  /** Whether the server has given no list before: then its tools are taken as they are. */
  first: boolean
  /** Whether what is not listed is gone. */
  complete: boolean
  now: string
  newId(): string
}

/** docs/integrations.md, "Tools". */
export function planOf(known: readonly ToolRow[], list: readonly Listed[], reading: Reading): Plan {
  const rows = new Map(known.map((row) => [row.name, row]))
  const told = new Map(list.map((tool) => [tool.name, tool]))
  const twins = twinsAmong([...told.keys(), ...(reading.complete ? [] : rows.keys())])
  const plan: Plan = { created: [], updated: [], removed: [], held: [] }
  for (const tool of told.values()) {
    const row = rows.get(tool.name)
    const next = row ? changed(row, tool, twins, reading) : appeared(tool, twins, reading)
    if (!next) continue
    plan[row ? 'updated' : 'created'].push(next)
    if (next.held_since && next.told_hash !== row?.told_hash) plan.held.push(next)
  }
  if (reading.complete) plan.removed = known.filter(({ name }) => !told.has(name))
  return fitted(plan, known.length)
}

/** The plan with no more new tools than there is room for. */
function fitted({ created, updated, removed, held }: Plan, known: number): Plan {
  const kept = new Set(created.slice(0, Math.max(0, mostTools - known + removed.length)))
  const isKept = (row: ToolRow) => updated.includes(row) || kept.has(row)
  return { created: [...kept], updated, removed, held: held.filter(isKept) }
}

/** Names that clients write like that of another tool, with the other one. */
function twinsAmong(names: readonly string[]): Map<string, string> {
  const seen = new Map<string, string>()
  const twins = new Map<string, string>()
  for (const name of new Set(names)) {
    const other = seen.get(plainName(name))
    if (other === undefined) seen.set(plainName(name), name)
    else {
      twins.set(name, other)
      twins.set(other, name)
    }
  }
  return twins
}

type Twins = ReadonlyMap<string, string>

/** A tool that nothing is known of but its name. */
export const blankTool = (server: string, name: string, now: string, id: string): ToolRow => ({
  id,
  server_id: server,
  name,
  note: null,
  approved_json: null,
  told_json: null,
  approved_hash: null,
  told_hash: null,
  enabled: 1,
  held_since: null,
  held_for: null,
  created_at: now,
  updated_at: now,
})

function appeared(tool: Listed, twins: Twins, { first, server, now, newId }: Reading): ToolRow {
  const row = blankTool(server, tool.name, now, newId())
  return judged(row, tool, [...(first ? [] : ['it is new']), ...faults(tool, twins)], now)
}

/** What becomes of a tool that is known; null when it stays as it is. */
function changed(row: ToolRow, tool: Listed, twins: Twins, { now }: Reading): ToolRow | null {
  if (tool.hash === row.told_hash) return null
  if (tool.hash === row.approved_hash) return row.held_since ? approvedAs(row, tool, now) : null
  // People named it before the server did.
  if (!row.approved_json && !row.held_since) return judged(row, tool, faults(tool, twins), now)
  const before = row.approved_json ?? row.told_json!
  const what = `its ${differences(before, tool.json).join(' and ')} changed`
  return judged(row, tool, [what, ...faults(tool, twins)], now)
}

/** Why people should look at a tool, whenever it was first told. */
function faults(tool: Listed, twins: Twins): string[] {
  const twin = twins.get(tool.name)
  const suspect = suspicion(tool.json)
  return [...(twin === undefined ? [] : [`its name looks like ${twin}`]), ...(suspect ? [`it has ${suspect}`] : [])]
}

const judged = (row: ToolRow, tool: Listed, reasons: readonly string[], now: string): ToolRow =>
  reasons.length
    ? {
        ...row,
        told_json: tool.json,
        told_hash: tool.hash,
        held_since: row.held_since ?? now,
        held_for: reasons.join('; '),
        updated_at: now,
      }
    : approvedAs(row, tool, now)

/** A tool that agents may use as it is told now. */
export const approvedAs = (row: ToolRow, { json, hash }: Pick<Listed, 'json' | 'hash'>, now: string): ToolRow => ({
  ...row,
  approved_json: json,
  approved_hash: hash,
  told_json: null,
  told_hash: null,
  held_since: null,
  held_for: null,
  updated_at: now,
})
