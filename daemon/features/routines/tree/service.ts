import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { Entry } from '#contract/entries'
import { mostTreeNodes, type RoutineTree } from '#contract/routine-tree'
import type { routines } from '#contract/routines'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { delegatedBy, givenBy } from '../../assignments/tree/service.ts'
import { findRun as findAgentRun } from '../../runs/service.ts'
import { queries as engine, type RunRow } from '../engine/queries.ts'
import { queries as records } from '../records/queries.ts'
import { findRun } from '../records/service.ts'

type Tree = Static<typeof RoutineTree>
type Node = Tree['nodes'][number]

/** A run with its steps and all that they began, in the order in which they began. */
export function tree(app: App, { actor, routineRunId }: Call<typeof routines.tree>): Tree {
  const run = findRun(app, actor.workspace, routineRunId)
  return {
    run_id: run.id,
    pipeline_slug: run.routine_slug,
    status: run.status,
    started_at: run.started_at,
    finished_at: run.ended_at,
    nodes: nodesOf(app, run, actor.id),
  }
}

function nodesOf(app: App, run: RunRow, reader: string): Node[] {
  const nodes: Node[] = []
  addSteps(app, run, null, reader, nodes)
  return nodes
}

const logLimit = { fallback: 1000, max: 5000 }

/** What the journal tells of a run and of the runs in its tree, oldest first. */
export function logs(
  app: App,
  { actor, routineRunId, query }: Call<typeof routines.logs>,
): Reply<typeof routines.logs> {
  const run = findRun(app, actor.workspace, routineRunId)
  const below = nodesOf(app, run, actor.id).flatMap(({ run_id }) => (run_id === null ? [] : [run_id]))
  return records(app.db)
    .logs.all(actor.workspace, JSON.stringify([run.id, ...below]), pageOf(query, logLimit).limit)
    .map((doc) => {
      const { ts, severity, summary } = JSON.parse(doc) as Entry
      return { ts, level: severity, message: summary }
    })
}

/** The node of a foreach above the node of one of its steps, `each[3].id`. */
const parentOf = (key: string): string | null => /^(.*)\[\d+\]\.[^.]+$/.exec(key)?.[1] ?? null

function addSteps(app: App, run: RunRow, parent: string | null, reader: string, nodes: Node[]): void {
  for (const step of engine(app.db).steps.all(run.id)) {
    if (nodes.length >= mostTreeNodes) return
    const above = parentOf(step.key)
    const id = `${run.id}.${step.key}`
    nodes.push({
      id,
      parent_id: above === null ? parent : `${run.id}.${above}`,
      kind: 'step',
      name: step.key,
      about: step.type,
      status: step.status,
      run_id: null,
      started_at: step.started_at,
      finished_at: step.ended_at,
      error_message: step.error_message,
    })
    if (step.type === 'platform' && step.output_json) addGiven(app, run, step.output_json, id, reader, nodes)
    if (step.agent_run_id) addAgentRun(app, step.agent_run_id, id, reader, nodes)
    const child = step.child_run_id ? engine(app.db).run.get(step.child_run_id) : undefined
    if (child) addRun(app, child, id, reader, nodes)
  }
}

function addRun(app: App, run: RunRow, parent_id: string, reader: string, nodes: Node[]): void {
  if (nodes.length >= mostTreeNodes) return
  nodes.push({
    id: run.id,
    parent_id,
    kind: 'run',
    name: run.routine_slug,
    about: run.routine_name,
    status: run.status,
    run_id: run.id,
    started_at: run.started_at,
    finished_at: run.ended_at,
    error_message: run.error_message,
  })
  addSteps(app, run, run.id, reader, nodes)
}

const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

function addAgentRun(app: App, id: string, parent_id: string, reader: string, nodes: Node[]): void {
  const run = findAgentRun(app, id)
  if (!run || nodes.length >= mostTreeNodes) return
  nodes.push({
    id,
    parent_id,
    kind: 'agent_run',
    name: run.agent_slug,
    about: '',
    status: (run.outcome ?? 'RUNNING').toLowerCase(),
    run_id: id,
    started_at: time(run.created_at),
    finished_at: time(run.ended_at),
    error_message: null,
  })
  for (const it of delegatedBy(app, run, reader).slice(0, mostTreeNodes - nodes.length))
    nodes.push(assignmentNode(it, it.parent_assignment_id ?? id))
}

const assignmentNode = (it: ReturnType<typeof givenBy>[number], parent_id: string): Node => ({
  id: it.assignment_id,
  parent_id,
  kind: 'assignment',
  name: it.agent_slug,
  about: it.task,
  status: it.state.toLowerCase(),
  run_id: it.run_id,
  started_at: it.started_at,
  finished_at: it.finished_at,
  error_message: it.error_message,
})

/** Work that a step gave to an agent, with what that delegated. */
function addGiven(app: App, run: RunRow, output: string, step: string, reader: string, nodes: Node[]): void {
  const given = (JSON.parse(output) as { assignment_id?: unknown } | null)?.assignment_id
  if (typeof given !== 'string') return
  const inside = new Set([given])
  for (const it of givenBy(app, run.id, reader)) {
    const above = it.parent_assignment_id
    if (nodes.length >= mostTreeNodes) return
    if (it.assignment_id !== given && !(above && inside.has(above))) continue
    inside.add(it.assignment_id)
    nodes.push(assignmentNode(it, above ?? step))
  }
}
