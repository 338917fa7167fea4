import { Flags } from '@oclif/core'
import { interactive, newPassword, secret } from '../../input.ts'
import { HostCommand, hostFlags } from '../../local/host-command.ts'
import { resetView } from '../../views/host.ts'

export default class AdminResetPassword extends HostCommand<typeof AdminResetPassword> {
  static override summary = "Set a user's password and end all of their sessions"
  static override description =
    'Use it when the server cannot send mail or nobody can sign in. The password is prompted for without echo, ' +
    'or read from standard input. A locked account is unlocked; tokens stay valid, see `muster admin ' +
    'invalidate-sessions --tokens`. No daemon may be running.'
  static override examples = [
    '$ <%= config.bin %> admin reset-password --email ada@example.com',
    '$ <%= config.bin %> admin reset-password --email ada@example.com --password-stdin < password.txt',
  ]
  static override flags = {
    ...hostFlags,
    email: Flags.string({ required: true, helpValue: 'ADDRESS', description: 'email address of the user' }),
    'disable-two-factor': Flags.boolean({
      description: 'also turn off the second factor, for a user who lost it and the recovery codes',
    }),
    'password-stdin': Flags.boolean({
      description: 'read the password from standard input (default without a terminal)',
    }),
  }

  async run(): Promise<void> {
    const { email } = this.flags
    const disable_two_factor = this.flags['disable-two-factor']
    const done = await this.ask('reset-password', { email, password: await this.password(email), disable_two_factor })
    const also = [
      ...(done.unlocked ? ['The account is no longer locked.'] : []),
      ...(done.two_factor_disabled ? ['The second factor is off.'] : []),
      sessionsEnded(done.sessions),
    ]
    await this.out.done(`${done.email} has a new password. ${also.join(' ')}`, done, resetView)
    if (done.two_factor)
      this.out.note('The second factor is still asked for; --disable-two-factor turns it off.', 'dim')
  }

  private async password(email: string): Promise<string> {
    const piped = this.flags['password-stdin']
    const question = `New password for ${email}`
    return interactive() && !piped ? newPassword(question) : secret(question, { piped })
  }
}

const sessionsEnded = (count: number) =>
  count === 0
    ? 'There were no open sessions.'
    : count === 1
      ? 'One session was ended.'
      : `${count} sessions were ended.`
