import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'

export default class RoutinesCancelPending extends ApiCommand<typeof RoutinesCancelPending> {
  static override summary = 'Cancel a run of a routine before it begins'
  static override examples = ['$ <%= config.bin %> routines cancel-pending cmb2f7k3x0001a8']
  static override args = { pending: Args.string({ required: true, description: 'id of the run that begins later' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { pending: pendingId } = this.args
    const done = await this.api.routines.cancelPending({ workspaceId, pendingId })
    await this.out.done(`Cancelled ${pendingId}, which had not begun.`, done)
  }
}
