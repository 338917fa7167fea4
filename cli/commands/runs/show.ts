import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { runView } from '../../views/runs.ts'

export default class RunsShow extends ApiCommand<typeof RunsShow> {
  static override summary = 'Show a run'
  static override examples = ['$ <%= config.bin %> runs show RUN', '$ <%= config.bin %> runs show RUN --jq .status']
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.runs.show({ runId: this.args.run }), runView)
  }
}
