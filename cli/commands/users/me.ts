import { ApiCommand } from '../../command.ts'

export default class UsersMe extends ApiCommand<typeof UsersMe> {
  static override summary = 'Show the signed-in user'
  static override examples = ['$ <%= config.bin %> users me', '$ <%= config.bin %> users me --jq .email']

  async run(): Promise<void> {
    await this.out.show(await this.api.users.me(), {
      name: ({ email }) => email,
      columns: { Email: ({ email }) => email, Name: ({ full_name }) => full_name, Id: ({ id }) => id, Picture: ({ avatar_url }) => avatar_url },
    })
  }
}
