import type { RoutineDefinition } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import type { Values } from '#kernel/templates'
import { hashOf } from '../definitions/reading.ts'
import { queries, type RunRow, type StepRow } from './queries.ts'
import { type Placed, placeOf } from './rules.ts'

/** A run in memory, as it is stored. */
export interface Loaded {
  run: RunRow
  definition: RoutineDefinition
  steps: Map<string, StepRow>
  outputs: Map<string, unknown>
}

interface Known {
  definitions: Map<string, RoutineDefinition>
  characters: number
}

const known = new WeakMap<App, Known>()
/** Definitions that are kept in memory once read, and their characters. */
const [mostKnown, mostCharacters] = [100, 8_388_608]

/** The definition of a run; null when what is stored is not what the run began with. */
export function definitionOf(app: App, run: RunRow): RoutineDefinition | null {
  const all = known.get(app) ?? { definitions: new Map(), characters: 0 }
  known.set(app, all)
  const found = all.definitions.get(run.definition_hash)
  if (found) return found
  const json = run.definition_json ?? queries(app.db).definition.get(run.routine_id, run.version)?.definition_json ?? ''
  if (hashOf(json) !== run.definition_hash) return null
  const definition = JSON.parse(json) as RoutineDefinition
  if (all.definitions.size >= mostKnown || all.characters + json.length > mostCharacters) {
    all.definitions.clear()
    all.characters = 0
  }
  all.definitions.set(run.definition_hash, definition)
  all.characters += json.length
  return definition
}

/** A run that is not over; null for one that is, or whose definition was changed. */
export function load(app: App, id: string): Loaded | null {
  const run = queries(app.db).run.get(id)
  const definition = run && run.ended_at === null ? definitionOf(app, run) : null
  if (!run || !definition) return null
  const steps = new Map(
    queries(app.db)
      .steps.all(id)
      .map((step) => [step.key, step]),
  )
  return { run, definition, steps, outputs: new Map() }
}

/** A step of a run that is not over, as it is stored now, with its place in the definition. */
export function loadStep(
  app: App,
  { id, run_id, key }: StepRow,
): { loaded: Loaded; placed: Placed; row: StepRow } | null {
  const loaded = load(app, run_id)
  const placed = loaded && placeOf(loaded.definition, key)
  const row = loaded?.steps.get(key)
  return loaded && placed && row?.id === id ? { loaded, placed, row } : null
}

function outputOf({ steps, outputs }: Loaded, key: string): unknown {
  if (outputs.has(key)) return outputs.get(key)
  const json = steps.get(key)?.output_json ?? null
  const value: unknown = json === null ? null : JSON.parse(json)
  outputs.set(key, value)
  return value
}

const cites = new WeakMap<object, boolean>()

/** Whether a step may read what others gave; most of those in a long run do not. */
function citesSteps(step: object): boolean {
  const known = cites.get(step) ?? JSON.stringify(step).includes('steps')
  cites.set(step, known)
  return known
}

/** What templates and expressions of a step may name. Within a loop, `steps` has the steps of the same item too. */
export function valuesOf(loaded: Loaded, placed?: Placed): Values {
  const { run, definition, steps } = loaded
  const shown: Record<string, unknown> = {}
  const show = (id: string, row: StepRow) => {
    // Read only when it is cited: most of what a run has is not.
    const { key, status, error_message } = row
    shown[id] = {
      get output() {
        return outputOf(loaded, key)
      },
      status,
      error: error_message ?? '',
    }
  }
  const showOf = (id: string, row: StepRow | undefined) => row && show(id, row)
  if (!placed || citesSteps(placed.step))
    for (const row of steps.values()) if (!row.key.includes('[')) show(row.key, row)
  const { loop } = placed ?? {}
  const inputs = JSON.parse(run.inputs_json) as unknown
  if (loop) {
    const step = definition.steps.find(({ id }) => id === loop.key)
    if (step?.type === 'foreach')
      for (const { id } of step.foreach.steps as { id: string }[])
        showOf(id, steps.get(`${loop.key}[${loop.index}].${id}`))
  }
  return {
    inputs,
    event:
      run.event_json === null
        ? ((inputs as { event?: unknown }).event ?? null)
        : (JSON.parse(run.event_json) as unknown),
    run: {
      id: run.id,
      slug: run.routine_slug,
      triggered_via: run.triggered_via,
      started_at: run.started_at,
      depth: run.chain_depth,
      metadata: JSON.parse(run.metadata_json) as unknown,
      tags: JSON.parse(run.tags_json) as unknown,
    },
    steps: shown,
    ...(loop && { [loop.as]: itemOf(loaded, loop.key, loop.index), index: loop.index }),
  }
}

function itemOf({ steps }: Loaded, key: string, index: number): unknown {
  const { items } = JSON.parse(steps.get(key)?.state_json ?? '{"items":[]}') as { items: unknown[] }
  return items[index] ?? null
}
