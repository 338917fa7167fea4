import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { queries, type Use } from './queries.ts'

interface Part {
  type: string
  tool_name?: string
  tool_id?: string
  metadata?: Record<string, unknown>
}

interface Run {
  id: string
  workspace_id: string
  crew_id: string
  agent_id: string
}

/** The tools by which clients load a skill. */
const loaders = new Set(['Skill', 'skill', 'activate_skill'])

/** Counts the skills that a run used, each once: what its client loaded, or whose files it named. */
export function noteUsed(app: App, run: Run, parts: readonly Part[]): void {
  const calls = parts.filter(({ type }) => type === 'tool_call')
  if (!calls.length) return
  for (const { id, slug } of queries(app.db).given.all(run.agent_id)) {
    const call = calls.find((it) => uses(it, slug))
    if (!call) continue
    const usage_count = queries(app.db).count.get(run.workspace_id, id, app.now())!
    const exit_code = exitOf(parts, call)
    const payload = {
      skill_id: id,
      skill_slug: slug,
      tool_name: call.tool_name ?? '',
      ...(exit_code !== undefined && { exit_code }),
      usage_count,
    }
    const { workspace_id, crew_id, agent_id } = run
    const about = {
      workspace_id,
      crew_id,
      agent_id,
      trace_id: run.id,
      actor_type: 'agent',
      actor_id: agent_id,
    } as const
    app.journal(fact('skill.invoked', payload, about))
  }
}

function uses({ tool_name = '', metadata }: Part, slug: string): boolean {
  const input = metadata?.['input'] as Record<string, unknown> | undefined
  if (loaders.has(tool_name)) return [input?.['skill'], input?.['name']].some((it) => bare(it) === slug)
  const said = JSON.stringify(input ?? null)
  return said.includes(`/skills/${slug}/`) || said.includes(`/skill/${slug}/`)
}

const bare = (name: unknown) => (typeof name === 'string' ? name.replace(/^muster:/, '') : undefined)

function exitOf(parts: readonly Part[], { tool_id }: Part): number | undefined {
  const result = parts.find((it) => it.type === 'tool_result' && it.tool_id === tool_id)
  const code = result?.metadata?.['exit_code']
  return Number.isInteger(code) ? (code as number) : undefined
}

/** How often a skill was used in runs of a workspace. */
export const usageOf = ({ db }: App, workspace: string, skill: string): Use | undefined =>
  queries(db).of.get(workspace, skill)

export function dropUses({ db }: App, { payload }: Happened<'workspace.deleted'>): void {
  queries(db).drop.run(payload.entity_id)
}
