import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { status as statusCell } from '../../output/cell.ts'

export default class RunsCancel extends ApiCommand<typeof RunsCancel> {
  static override summary = 'End a run'
  static override description =
    'Your own, or anybody\'s as MANAGER and above. It is over a moment later: see "muster wait".'
  static override examples = ['$ <%= config.bin %> runs cancel RUN', '$ <%= config.bin %> runs cancel RUN --json']
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }

  async run(): Promise<void> {
    const ended = await this.api.runs.cancel({ runId: this.args.run })
    const { run_id, status } = ended
    const sentence =
      status === 'RUNNING'
        ? `Run ${run_id} is being ended.`
        : status === 'CANCELLED'
          ? `Run ${run_id} is cancelled.`
          : `Run ${run_id} was over already: ${status.toLowerCase()}.`
    await this.out.done(sentence, ended, {
      name: (it) => it.run_id,
      columns: { ID: (it) => it.run_id, STATUS: (it) => statusCell(it.status) },
    })
  }
}
