import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { writeNew } from '../../files.ts'

export default class AccountExport extends ApiCommand<typeof AccountExport> {
  static override summary = 'Export everything stored about your account, as JSON'
  static override description =
    'Profile, picture, memberships, sessions, tokens, pairings, preferences and invitations; no password, hash ' +
    'or token. What you did in a workspace is in its journal.'
  static override hiddenAliases = ['users:export']
  static override examples = [
    '$ <%= config.bin %> account export > me.json',
    '$ <%= config.bin %> account export --to me.json',
    '$ <%= config.bin %> account export --jq .sessions',
  ]
  static override flags = {
    to: Flags.string({ helpValue: 'FILE', description: 'write to a new file that only you can read' }),
    force: Flags.boolean({ description: 'overwrite an existing file' }),
  }

  async run(): Promise<void> {
    const data = await this.progress('Collecting', this.api.users.export())
    const { to } = this.flags
    if (to === undefined) return this.out.value(data)
    writeNew(to, `${JSON.stringify(data, null, 2)}\n`, { force: this.flags.force, mode: 0o600 })
    await this.out.done(`Wrote ${to}.`)
  }
}
