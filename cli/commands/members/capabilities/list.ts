import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { windowed, windowFlags } from '../../../flags.ts'
import { heldView } from '../../../views/capabilities.ts'

export default class CapabilitiesList extends ApiCommand<typeof CapabilitiesList> {
  static override summary = 'List the capabilities of members'
  static override result = { of: ['members.capabilities'], members: ['email'] }
  static override hiddenAliases = ['members:capabilities']
  static override examples = [
    '$ <%= config.bin %> members capabilities',
    '$ <%= config.bin %> members capabilities list --json',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    // Both lists come in the order in which people joined, so that the same window has the same people.
    const [all, people] = await Promise.all([
      windowed(this.flags, async (query) => (await this.api.members.capabilities({ workspaceId, query })).members),
      windowed(this.flags, (query) => this.api.members.list({ workspaceId, query })),
    ])
    const emails = new Map(people.map(({ user }) => [user.id, user.email]))
    const rows = all.map((held) => ({ ...held, email: emails.get(held.user_id) }))
    await this.out.list(rows, heldView)
  }
}
