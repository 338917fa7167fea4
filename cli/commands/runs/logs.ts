import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../command.ts'
import { printLog } from '../../runs/print-log.ts'

export default class RunsLogs extends ApiCommand<typeof RunsLogs> {
  static override summary = 'Show what a run did and said'
  static override description =
    'Shows what the run was asked, the tools that it used and what it said. --follow goes on until the run is over, ' +
    'also while it waits for a person or the daemon is restarted.'
  static override result = { any: true as const }
  static override examples = [
    '$ <%= config.bin %> runs logs RUN',
    '$ <%= config.bin %> runs logs RUN -f',
    '$ <%= config.bin %> runs logs RUN -o ndjson',
  ]
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'follow until the run ends' }),
  }

  async run(): Promise<void> {
    const asked = locate('runs.logs', { runId: this.args.run, query: { follow: this.flags.follow || undefined } })
    await printLog(this.out, this.connection, asked)
  }
}
