import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { writeNew } from '../../files.ts'

export default class RunsReceipt extends ApiCommand<typeof RunsReceipt> {
  static override summary = 'Write a signed receipt of a run that is over'
  static override description =
    'A DSSE envelope with an in-toto statement: who asked, which agent, client, image and model, the hashes of the ' +
    'prompt, of what was said and of the files that changed, what people decided, and where it stands in the ' +
    'journal. Nothing that was said is in it. `muster runs verify` checks it without the server.'
  static override examples = [
    '$ <%= config.bin %> runs receipt RUN --to receipt.json',
    '$ <%= config.bin %> runs receipt RUN --jq .payload',
  ]
  static override next = { run_open: 'muster wait RUN', not_found: 'muster runs list' }
  static override args = { run: Args.string({ required: true, description: 'id of the run' }) }
  static override flags = {
    to: Flags.string({ helpValue: 'FILE', description: 'write it to this file (default: standard output)' }),
    force: Flags.boolean({ dependsOn: ['to'], description: 'overwrite an existing file' }),
  }

  async run(): Promise<void> {
    const { to, force } = this.flags
    const envelope = await this.api.runs.receipt({ runId: this.args.run })
    if (to === undefined || to === '-') {
      if (this.out.wanted.format !== 'auto') return this.out.value(envelope)
      return this.out.text(`${JSON.stringify(envelope)}\n`)
    }
    writeNew(to, `${JSON.stringify(envelope)}\n`, { force })
    await this.out.done(`Wrote ${to}. Next: muster runs verify ${to} --key KEY.pem`)
  }
}
