import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { status, when } from '../../output/cell.ts'
import { treeLines } from '../../runs/tree-lines.ts'

export default class RunsTree extends ApiCommand<typeof RunsTree> {
  static override summary = 'Show a run with the work that it delegated to other agents'
  static override description =
    'Each line is an agent that was given work, with the state of that work, how long it takes and the task. What ' +
    'that agent delegated in turn stands below it.'
  static override examples = [
    '$ <%= config.bin %> runs tree RUN',
    "$ <%= config.bin %> runs tree RUN --jq '.assignments[] | [.agent_slug, .state]'",
  ]
  static override next = { not_found: 'muster runs list' }
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }

  async run(): Promise<void> {
    const tree = await this.api.runs.tree({ runId: this.args.run })
    await this.out.show(tree, {
      name: ({ run_id }) => run_id,
      columns: {
        Run: ({ run_id }) => run_id,
        Agent: ({ agent_name, agent_slug }) => `${agent_name} (@${agent_slug})`,
        Status: (it) => status(it.status),
        Started: ({ started_at }) => when(started_at),
        Finished: ({ finished_at }) => when(finished_at),
        Delegated: ({ assignments }) => assignments.length,
      },
      below: ({ assignments }) => treeLines(assignments, Date.now()).join('\n'),
    })
  }
}
