import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { userView } from '../../views/users.ts'

export default class AccountUpdate extends ApiCommand<typeof AccountUpdate> {
  static override summary = 'Change your name'
  static override hiddenAliases = ['users:update']
  static override examples = ['$ <%= config.bin %> account update --name "Ada Lovelace"']
  static override flags = {
    name: Flags.string({ required: true, helpValue: 'NAME', description: 'your name as others see it' }),
  }

  async run(): Promise<void> {
    await this.out.show(await this.api.users.update({ body: { full_name: this.flags.name } }), userView)
  }
}
