import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { Names } from '../../journal/names.ts'
import { toldRun } from '../../runs/told.ts'
import { toldRunView } from '../../views/runs.ts'

export default class RunsShow extends ApiCommand<typeof RunsShow> {
  static override summary = 'Show a run: what it was asked, said, did and spent, and how it ended'
  static override result = {
    of: ['runs.show'],
    members: [
      'started_by',
      'asked',
      'said',
      'tool_calls',
      'tool_calls.name',
      'tool_calls.brief',
      'tool_calls.status',
      'usage',
      'cost',
    ],
  }
  static override examples = [
    '$ <%= config.bin %> runs show RUN',
    '$ <%= config.bin %> runs show RUN --jq .status',
    '$ <%= config.bin %> runs show RUN --json=asked,said,usage,cost',
  ]
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }

  async run(): Promise<void> {
    const run = await this.api.runs.show({ runId: this.args.run })
    const names = new Names(this.api, this.session.workspace)
    await this.out.show(await toldRun(this.connection, run, names), toldRunView)
  }
}
