import type { Worker } from '#contract/projects'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { findAgent } from '../../agents/service.ts'
import { membershipOf } from '../../members/service.ts'

/** A member of the workspace or an agent; both null for nobody. */
export type Chosen = { type: Worker; id: string } | { type: null; id: null }

const nobody: Chosen = { type: null, id: null }

/**
 * Who is named by the members `<role>_type` and `<role>_id` of a body; `before` where it names neither. Both go
 * together, and empty ones mean nobody. Refuses who is not of this workspace.
 */
export function chosenWorker(app: App, workspace: string, role: string, body: object, before: Chosen = nobody): Chosen {
  const given = body as Record<string, string | null | undefined>
  const [type, id] = [given[`${role}_type`], given[`${role}_id`]]
  if (type === undefined && id === undefined) return before
  if (!type && !id) return nobody
  if (!type || !id)
    throw problem('invalid_field', {
      field: type ? `${role}_id` : `${role}_type`,
      detail: `${role}_type and ${role}_id go together`,
    })
  if (type === 'agent') findAgentNamed(app, workspace, `${role}_id`, id)
  else if (!membershipOf(app, workspace, id))
    throw problem('invalid_field', { field: `${role}_id`, detail: 'There is no such member' })
  return { type: type as Worker, id }
}

function findAgentNamed(app: App, workspace: string, field: string, id: string): void {
  try {
    findAgent(app, workspace, id)
  } catch {
    throw problem('invalid_field', { field, detail: 'There is no such agent' })
  }
}
