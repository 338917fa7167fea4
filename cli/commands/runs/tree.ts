import { Args } from '@oclif/core'
import { ProblemError } from '#client'
import type { Reply } from '#contract/define'
import type { routines } from '#contract/routines'
import type { runTree } from '#contract/run-tree'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { status, when } from '../../output/cell.ts'
import type { View } from '../../output/printer.ts'
import { treeLines } from '../../runs/tree-lines.ts'

type AgentTree = Reply<typeof runTree.tree>
type RoutineTree = Reply<typeof routines.tree>

export default class RunsTree extends ApiCommand<typeof RunsTree> {
  static override summary = 'Show a run with the work that it delegated to other agents'
  static override description =
    'Each line is an agent that was given work, with the state of that work, how long it takes and the task. What ' +
    'that agent delegated in turn stands below it. Of a run of a routine, its steps, and the runs that they began.'
  static override result = { of: ['runs.tree', 'routines.tree'] }
  static override hiddenAliases = ['routines:tree']
  static override examples = [
    '$ <%= config.bin %> runs tree RUN',
    "$ <%= config.bin %> runs tree RUN --jq '.assignments[] | [.agent_slug, .state]'",
  ]
  static override next = { not_found: 'muster runs list' }
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }

  async run(): Promise<void> {
    const { run } = this.args
    const tree = await this.api.runs.tree({ runId: run }).catch((error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === 'not_found') return null
      throw error
    })
    if (tree) return this.out.show(tree, agentView)
    const found = await this.api.routines.tree({ workspaceId: workspaceInUse(this.session), routineRunId: run })
    await this.out.show(found, routineView)
  }
}

const agentView: View<AgentTree> & { below(tree: AgentTree): string } = {
  name: ({ run_id }) => run_id,
  columns: {
    Run: ({ run_id }) => run_id,
    Agent: ({ agent_name, agent_slug }) => `${agent_name} (@${agent_slug})`,
    Status: (it) => status(it.status),
    Started: ({ started_at }) => when(started_at),
    Finished: ({ finished_at }) => when(finished_at),
    Delegated: ({ assignments }) => assignments.length,
  },
  below: ({ assignments }) =>
    treeLines(
      assignments.map(({ assignment_id, parent_assignment_id, agent_slug, task, ...it }) => ({
        ...it,
        id: assignment_id,
        parent: parent_assignment_id,
        name: `@${agent_slug}`,
        about: task,
      })),
      Date.now(),
    ).join('\n'),
}

const routineView: View<RoutineTree> & { below(tree: RoutineTree): string } = {
  name: ({ run_id }) => run_id,
  columns: {
    Run: ({ run_id }) => run_id,
    Routine: ({ pipeline_slug }) => pipeline_slug,
    Status: (it) => status(it.status),
    Started: ({ started_at }) => when(started_at),
    Finished: ({ finished_at }) => when(finished_at),
  },
  below: ({ nodes }) =>
    treeLines(
      nodes.map(({ parent_id, kind, name, status, ...it }) => ({
        ...it,
        parent: parent_id,
        name: kind === 'agent_run' || kind === 'assignment' ? `@${name}` : name,
        state: status,
        created_at: it.started_at,
      })),
      Date.now(),
    ).join('\n'),
}
