import { Flags } from '@oclif/core'
import { roleFlag } from '../../flags.ts'
import { HostCommand, hostFlags } from '../../local/host-command.ts'
import { promotedView } from '../../views/host.ts'

export default class AdminPromote extends HostCommand<typeof AdminPromote> {
  static override summary = 'Grant a user a role in a workspace, from the host'
  static override description =
    'Restores access to a workspace whose owners cannot sign in. Uses the workspace named by --workspace, or ' +
    'else the first one of the server. Adds the user if they are not a member; never lowers a role. No daemon ' +
    'may be running.'
  static override examples = [
    '$ <%= config.bin %> admin promote --email ada@example.com --role owner',
    '$ <%= config.bin %> admin promote --email ada@example.com --role admin -w research',
  ]
  static override flags = {
    ...hostFlags,
    email: Flags.string({ required: true, helpValue: 'ADDRESS', description: 'email address of the user' }),
    role: roleFlag('role to grant (default OWNER)'),
  }

  async run(): Promise<void> {
    const { email, role = 'OWNER', workspace } = this.flags
    const done = await this.ask('promote', { email, role, workspace })
    const sentence = done.changed
      ? `${done.email} is ${done.role} of ${done.workspace} now.`
      : `${done.email} is ${done.role} of ${done.workspace} already.`
    await this.out.done(sentence, done, promotedView)
  }
}
