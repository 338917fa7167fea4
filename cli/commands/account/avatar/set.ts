import { Args } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../../command.ts'
import { fileBytes } from '../../../input.ts'
import { formOf } from '../../../multipart.ts'
import { type User, userView } from '../../../views/users.ts'

export default class AccountAvatarSet extends ApiCommand<typeof AccountAvatarSet> {
  static override summary = 'Set your picture'
  static override description =
    'A PNG, JPEG or WebP file of at most 2 MB and 4096 pixels on a side. It is stored unchanged, including its ' +
    'metadata.'
  static override hiddenAliases = ['users:set-avatar']
  static override examples = ['$ <%= config.bin %> account avatar set me.png']
  static override args = { file: Args.string({ required: true, description: 'image file' }) }

  async run(): Promise<void> {
    const { method, path } = locate('users.setAvatar')
    const { type, body } = formOf(fileBytes(this.args.file), 'avatar')
    const reply = await this.progress(
      'Sending the picture',
      this.connection.request(method, path, { body, headers: { 'content-type': type } }),
    )
    await this.out.done('Your picture is set.', JSON.parse(String(reply.body)) as User, userView)
  }
}
