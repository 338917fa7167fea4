import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { RoutineDefinition, RoutineStep } from '#contract/routine-definition'
import type { routines } from '#contract/routines'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { cited, namesOf, render, type Values } from '#kernel/templates'
import { inputsOf } from '../definitions/inputs.ts'
import { type Node, nodesOf } from '../definitions/plan.ts'
import { readDefinition } from '../definitions/reading.ts'
import { risksOf } from '../definitions/rules.ts'
import { findRoutine } from '../service.ts'
import { definitionOf } from '../starting/service.ts'
import { isWanted } from '../steps/values.ts'
import { proofOf } from './proofs.ts'

type Tried = Reply<typeof routines.test>

/** Checks a definition with inputs as in a run, but for its effects. */
export async function test(app: App, { actor, body }: Call<typeof routines.test>): Promise<Tried> {
  const { definition, hash } = await readDefinition(app, body.definition)
  const risk_reasons = risksOf(definition)
  const checked = inputsOf(definition, body.sample_inputs ?? {})
  if ('field' in checked) return { ok: false, status: 'FAILED', steps: [], risk_reasons, error: checked.detail }
  const save_token = proofOf(app, actor.workspace, hash)
  return {
    ok: true,
    status: 'DRY_RUN_OK',
    save_token,
    steps: triedSteps(app, definition, checked.inputs),
    risk_reasons,
  }
}

export function dryRun(
  app: App,
  { actor, routineSlug, body }: Call<typeof routines.dryRun>,
): Reply<typeof routines.dryRun> {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  const { row, definition } = definitionOf(app, routine)
  const checked = inputsOf(definition, body?.inputs ?? {})
  if ('field' in checked) throw problem('invalid_inputs', checked)
  const steps = triedSteps(app, definition, checked.inputs)
  const of = { pipeline_id: routine.id, pipeline_slug: routine.slug, version: row.version, steps: steps.length }
  app.journal(fact('routine.dry_run', of, { workspace_id: actor.workspace, ...actorOf(actor) }))
  return { status: 'DRY_RUN_OK', steps }
}

/** Milliseconds after which no more conditions are tried. */
const tryMs = 200

function triedSteps(app: App, definition: RoutineDefinition, inputs: Record<string, unknown>): Tried['steps'] {
  const until = app.steady() + tryMs
  const values = { inputs, steps: {}, run: {}, event: null }
  return nodesOf(definition).map((node) => tried(node, values, app.steady() < until))
}

function tried({ step, phase, needs }: Node, values: Values, inTime: boolean): Tried['steps'][number] {
  return {
    id: step.id,
    type: step.type,
    phase,
    needs: [...needs],
    would: wouldDo(step, values),
    ...(step.if !== undefined && { condition: inTime ? conditionOf(step.if, values) : null }),
  }
}

/** Null for a condition that depends on what steps give; so are those that were not tried. */
function conditionOf(condition: string, values: Values): boolean | null {
  const onSteps = condition.includes('{{')
    ? cited(condition).some((path) => namesOf(path)[0] !== 'inputs')
    : /\b(steps|run|event)\b/.test(condition)
  return onSteps ? null : isWanted(condition, values)
}

const shownLength = 200

function wouldDo(step: RoutineStep, values: Values): string {
  // What other steps give is not known yet: it is shown by its name.
  const show = (text: string) => {
    const known = text.replace(/\{\{\s*inputs[^{}]*\}\}/g, (one) => render(one, values))
    return known.length > shownLength ? `${known.slice(0, shownLength)}…` : known
  }
  switch (step.type) {
    case 'agent_run':
      return `ask the agent ${step.agent_slug}: ${show(step.prompt)}`
    case 'call_pipeline':
      return `run the routine ${step.pipeline_slug}`
    case 'http':
      return `send ${step.http.method} ${show(step.http.url)}`
    case 'code':
      return `reckon ${show(step.code.code)}`
    case 'script':
      return `run ${step.script.path} in the container of the crew`
    case 'transform':
      return `take ${show(step.transform.expression)}`
    case 'wait':
      return step.wait.kind === 'approval'
        ? `wait for a person: ${show(step.wait.approval_prompt ?? '')}`
        : step.wait.kind === 'datetime'
          ? `wait until ${show(step.wait.until ?? '')}`
          : `wait for the event ${step.wait.event_type}`
    case 'notify':
      return `tell ${show(step.notify.to)}: ${show(step.notify.title)}`
    case 'query':
      return `look up ${step.query.source}`
    case 'foreach':
      return `do ${step.foreach.steps.length === 1 ? 'a step' : `${step.foreach.steps.length} steps`} for each item`
    case 'platform':
      return step.action
  }
}
