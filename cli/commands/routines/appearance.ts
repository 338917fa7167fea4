import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { routineView } from '../../views/routines.ts'

export default class RoutinesAppearance extends ApiCommand<typeof RoutinesAppearance> {
  static override summary = 'Change the icon and color of a routine'
  static override examples = ['$ <%= config.bin %> routines appearance nightly-update --icon moon --color "#3b82f6"']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = {
    icon: Flags.string({ description: 'name of an icon; "" for none' }),
    color: Flags.string({ description: '#RGB or #RRGGBB; "" for none' }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { icon, color } = this.flags
    const body = given({ icon, color: color === '' ? null : color })
    const row = await this.api.routines.appearance({ workspaceId, routineSlug: this.args.routine, body })
    await this.out.done(`Changed the routine ${this.args.routine}.`, row, routineView)
  }
}
