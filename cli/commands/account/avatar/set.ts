import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Args } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../../command.ts'
import { InputError } from '../../../input.ts'
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
    const { type, body } = form(contents(this.args.file))
    const reply = await this.progress(
      'Sending the picture',
      this.connection.request(method, path, { body, headers: { 'content-type': type } }),
    )
    await this.out.done('Your picture is set.', JSON.parse(String(reply.body)) as User, userView)
  }
}

function contents(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** A form with the file alone; its name stays here. */
function form(bytes: Buffer): { type: string; body: Buffer } {
  const boundary = `muster-${randomBytes(16).toString('hex')}`
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="avatar"\r\nContent-Type: ` +
    'application/octet-stream\r\n\r\n'
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
