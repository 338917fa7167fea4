import { Flags } from '@oclif/core'
import { UnreachableError } from '#client'
import { problemOf } from '#client/problem'
import { ApiCommand } from '../command.ts'
import { jar } from '../contexts/jar.ts'
import { signIn, travelsOpenly } from '../contexts/sign-in.ts'
import { ask, emailFlaw, emptyFlaw, type Flaw, InputError, interactive, newPassword } from '../input.ts'
import { signedInView } from '../views/sign-in.ts'

/** What the server would answer. */
const taken = { code: 'already_initialized', error: 'This server already has its first user' }

export default class Init extends ApiCommand<typeof Init> {
  static override summary = 'Create the first user of a new server and sign in'
  static override description =
    'Works only while the server has no users. The password is prompted for without echo, or read from standard ' +
    'input.'
  static override result = { members: ['context', 'server', 'user', 'workspace'] }
  static override hiddenAliases = ['bootstrap:create']
  static override examples = [
    '$ <%= config.bin %> init',
    '$ <%= config.bin %> init --email ada@example.com --name "Ada Lovelace" < password.txt',
  ]
  static override flags = {
    email: Flags.string({ description: 'your email address' }),
    name: Flags.string({ description: 'your full name' }),
    'password-stdin': Flags.boolean({
      description: 'read the password from standard input (default without a terminal)',
    }),
    as: Flags.string({ helpValue: 'NAME', description: 'name to store the server under' }),
  }

  async run(): Promise<void> {
    const { target } = this.session
    if (travelsOpenly(target))
      throw new InputError(
        `${target.key} is not encrypted: a password must not travel to it.`,
        'on the machine of the server: muster init',
      )
    await this.requireNew()
    const email = await this.given('email', 'Your email address', emailFlaw)
    const full_name = await this.given('name', 'Your full name', emptyFlaw)
    const password = await newPassword('Your password', { piped: this.flags['password-stdin'] })
    const cookies = jar()
    const created = await this.api.bootstrap.create({ body: { email, full_name, password } }, cookies.options())
    // The answer signs a browser in as well, which this is not. A session that stays does no harm: it runs out.
    await this.api.sessions.signout({}, cookies.options()).catch(() => undefined)
    const token = created.cli_token
    const { workspace: _, ...server } = this.session
    const signedIn = await signIn({
      connection: this.connect({ ...server, token }),
      token,
      workspace: created.workspace_id,
      as: this.flags.as,
    })
    await this.out.done(
      `Created ${created.email}, owner of the workspace ${signedIn.workspace}, and signed in.`,
      signedIn,
      signedInView,
    )
    this.out.note('Next: muster crews create NAME', 'dim')
  }

  /** Nothing is asked for before there is a server that waits for its first user. */
  private async requireNew(): Promise<void> {
    const { key } = this.session.target
    const said = await this.api.system.setup()
    if (typeof said?.needs_bootstrap !== 'boolean')
      throw new UnreachableError(key, 'FOREIGN', `What answers at ${key} is not a Muster server`)
    if (!said.needs_bootstrap) throw problemOf(410, {}, JSON.stringify(taken), '/api/v1/bootstrap')
  }

  private async given(flag: 'email' | 'name', question: string, flawOf: Flaw): Promise<string> {
    const value = this.flags[flag]
    const flaw = value === undefined ? undefined : flawOf(value)
    if (flaw) throw new InputError(`--${flag} cannot be "${value}". ${flaw}`)
    if (value !== undefined) return value
    if (!interactive())
      throw new InputError(`--${flag} is missing.`, 'muster init --email ADDRESS --name NAME < password.txt')
    return ask(question, flawOf)
  }
}
