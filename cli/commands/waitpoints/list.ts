import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { limited, listFlags } from '../../flags.ts'
import { waitpointView } from '../../views/approvals.ts'

export default class WaitpointsList extends ApiCommand<typeof WaitpointsList> {
  static override summary = 'List the work that waits for a decision'
  static override description = 'Resume it with `muster approve`, or end it with `muster deny`.'
  static override examples = ['$ <%= config.bin %> waitpoints list']
  static override flags = listFlags

  async run(): Promise<void> {
    const found = await this.api.waitpoints.list({ workspaceId: workspaceInUse(this.session) })
    await this.out.list(limited(found, this.flags), waitpointView)
  }
}
