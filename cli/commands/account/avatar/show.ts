import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { writeNew } from '../../../files.ts'
import { InputError } from '../../../input.ts'
import { userId } from '../../../lookup.ts'
import { isWholeId } from '../../../output/short-id.ts'

export default class AccountAvatarShow extends ApiCommand<typeof AccountAvatarShow> {
  static override summary = "Show or download a user's picture"
  static override result = { members: ['user_id', 'type', 'bytes'] }
  static override hiddenAliases = ['users:avatar']
  static override examples = [
    '$ <%= config.bin %> account avatar show',
    '$ <%= config.bin %> account avatar show --to me.png',
  ]
  static override next = { not_found: 'muster account avatar set FILE, which sets your own' }
  static override args = { user: Args.string({ description: 'email or id of a member of the workspace' }) }
  static override flags = {
    to: Flags.string({
      helpValue: 'FILE',
      description: 'write the picture to this file, or to standard output with -',
    }),
    force: Flags.boolean({ description: 'overwrite an existing file' }),
  }

  async run(): Promise<void> {
    const { to } = this.flags
    const user = await this.user()
    const { method, path } = locate('users.avatar', { userId: user })
    const { headers, body } = await this.connection.request(method, path, { headers: { accept: 'image/*' } })
    if (to === undefined) {
      const picture = { user_id: user, type: String(headers['content-type']), bytes: body.length }
      return this.out.show(picture, {
        name: ({ type }) => type,
        columns: { User: ({ user_id }) => user_id, Type: ({ type }) => type, Bytes: ({ bytes }) => bytes },
      })
    }
    if (to === '-') {
      if (this.out.terminal) throw new InputError('A picture cannot be shown on a terminal.', 'name a file with --to')
      process.stdout.write(body)
      return
    }
    writeNew(to, body, { force: this.flags.force })
    await this.out.done(`Wrote ${to}.`)
  }

  private async user(): Promise<string> {
    const { user } = this.args
    if (user === undefined) return (await this.api.users.me()).id
    return isWholeId(user) ? user : userId(this.api, workspaceInUse(this.session), user)
  }
}
