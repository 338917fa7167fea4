import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { viewOf } from '../../output/any-view.ts'

export default class RoutinesExport extends ApiCommand<typeof RoutinesExport> {
  static override summary = 'Export a routine as a bundle'
  static override description = 'As JSON on standard output. Another workspace reads it with muster routines import.'
  static override result = { any: true as const }
  static override examples = ['$ <%= config.bin %> routines export nightly-update > nightly-update.json']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = { history: Flags.boolean({ description: 'with earlier versions, up to 8 MiB of them' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const include_history = this.flags.history ? '1' : undefined
    const found = await this.api.routines.export({
      workspaceId,
      routineSlug: this.args.routine,
      query: given({ include_history }),
    })
    if (this.out.wanted.format === 'auto') this.out.text(`${JSON.stringify(found, null, 2)}\n`)
    else await this.out.show(found, viewOf([found]))
  }
}
