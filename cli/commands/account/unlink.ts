import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class AccountUnlink extends ApiCommand<typeof AccountUnlink> {
  static override summary = 'Unlink an identity provider account from yours'
  static override description =
    'Existing sessions stay valid. `muster account links` shows the ids. The last way to sign in cannot be taken ' +
    'away.'
  static override hiddenAliases = ['idp:unlink']
  static override examples = [
    '$ <%= config.bin %> account unlink LINK',
    '$ <%= config.bin %> account unlink LINK --yes',
  ]
  static override args = { link: Args.string({ required: true, description: 'id of the linked account' }) }
  static override flags = yesFlag
  static override next = { not_found: 'muster account links', last_way_in: 'muster account forgot' }

  async run(): Promise<void> {
    const { link } = this.args
    await this.confirm(`Unlink ${link}?`)
    await this.api.idp.unlink({ linkId: link })
    await this.out.done(`Unlinked ${link}.`)
  }
}
