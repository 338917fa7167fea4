import { closing, daemon } from '#test'
import { driveRoutines } from '../../daemon/features/routines/engine/jobs.ts'
import { firePending } from '../../daemon/features/routines/pending/jobs.ts'

type Given = Parameters<typeof daemon>[0]
type Step = Record<string, unknown> & { id: string; type: string }

/** A daemon with what tests of routines do: save one, run it, look at the run. */
export async function routines(given?: Given) {
  const it = await daemon(given)
  closing(driveRoutines(it.app))
  closing(firePending(it.app))
  const W = `/workspaces/${it.workspace}`
  /** Saves a routine that may run at once. */
  const save = async (slug: string, steps: Step[], more: Record<string, unknown> = {}, author_crew_id?: string) => {
    const definition = { dsl_version: '1.0', name: slug, steps, ...more }
    const body = { slug, definition, skip_test_gate: true, skip_governance_gate: true, author_crew_id }
    const saved = await it.call('OWNER', 'POST', `${W}/pipelines/save`, body)
    if (saved.status !== 201) throw new Error(JSON.stringify(saved.body))
    return saved.body
  }
  const run = async (slug: string, body: Record<string, unknown> = {}) =>
    (await it.call('MANAGER', 'POST', `${W}/pipelines/${slug}/run`, body)).body
  const result = async (id: string) => (await it.call('VIEWER', 'GET', `${W}/pipeline-runs/${id}`)).body
  return { ...it, W, save, run, result }
}
