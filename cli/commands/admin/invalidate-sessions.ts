import { Flags } from '@oclif/core'
import { yesFlag } from '../../flags.ts'
import { confirm } from '../../input.ts'
import { HostCommand, hostFlags } from '../../local/host-command.ts'
import { invalidatedView } from '../../views/host.ts'

export default class AdminInvalidateSessions extends HostCommand<typeof AdminInvalidateSessions> {
  static override summary = 'Sign one user or everybody out everywhere'
  static override description =
    'Ends browser sessions and, with --tokens, revokes the tokens of command lines and programs, which must be ' +
    'paired again. Without --email it applies to everybody. No daemon may be running.'
  static override examples = [
    '$ <%= config.bin %> admin invalidate-sessions --email ada@example.com --tokens',
    '$ <%= config.bin %> admin invalidate-sessions --yes',
  ]
  static override flags = {
    ...hostFlags,
    ...yesFlag,
    email: Flags.string({ helpValue: 'ADDRESS', description: 'only this user' }),
    tokens: Flags.boolean({ description: 'also revoke CLI tokens' }),
  }

  async run(): Promise<void> {
    const { email, tokens, yes } = this.flags
    await confirm(
      `Sign ${email ?? 'everybody'} out${tokens ? ' and revoke all tokens' : ''}?`,
      yes || email !== undefined,
    )
    const done = await this.ask('invalidate-sessions', { email, tokens })
    await this.out.done(
      `Ended ${count(done.sessions, 'session')}${tokens ? ` and ${count(done.tokens, 'token')}` : ''} of ` +
        `${count(done.users, 'user')}.`,
      done,
      invalidatedView,
    )
  }
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`
