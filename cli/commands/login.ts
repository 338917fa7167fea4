import { Flags } from '@oclif/core'
import { type Client, createClient, type Target } from '#client'
import { ApiCommand } from '../command.ts'
import { webAddress } from '../contexts/session.ts'
import { signIn, travelsOpenly } from '../contexts/sign-in.ts'
import { ask, choose, emailFlaw, emptyFlaw, InputError, interactive, secret } from '../input.ts'
import { timeLeft } from '../output/cell.ts'
import { signedInView } from '../views/sign-in.ts'

type Way = 'code' | 'email' | 'web' | 'token'

export default class Login extends ApiCommand<typeof Login> {
  static override summary = 'Sign in to a server and store its token'
  static override description =
    'Signs in with a pairing code from `muster pair` on another device, with email and password, with a browser, ' +
    'or with a token. Secrets are read from standard input or prompted for without echo. The token is stored for ' +
    'this server alone, in a file that only you can read, and never sent elsewhere.'
  static override result = { members: ['context', 'server', 'user', 'workspace'] }
  static override hiddenAliases = ['sessions:create']
  static override examples = [
    '$ <%= config.bin %> login',
    '$ <%= config.bin %> login -s https://muster.example.com --web',
    '$ <%= config.bin %> login -s https://muster.example.com --email ada@example.com',
    '$ <%= config.bin %> login -s https://muster.example.com --code K7QX-M2PD',
    '$ <%= config.bin %> login -s https://muster.example.com --as work < token.txt',
  ]
  static override next = {
    invalid_code: 'muster pair, where you are signed in, makes a new code',
    credentials_refused: 'try again, or muster account forgot, for a new password',
    second_factor_refused: 'try again with the code that is shown now, or with a recovery code',
    cancelled: 'muster login, to choose another way',
  }
  static override flags = {
    code: Flags.string({ helpValue: 'XXXX-XXXX', description: 'pairing code' }),
    email: Flags.string({
      helpValue: 'ADDRESS',
      exclusive: ['code'],
      description: 'your email address; the password is prompted for',
    }),
    'password-stdin': Flags.boolean({
      dependsOn: ['email'],
      description: 'read the password from standard input (default without a terminal)',
    }),
    otp: Flags.string({ helpValue: 'CODE', dependsOn: ['email'], description: 'code of your second factor' }),
    web: Flags.boolean({ exclusive: ['code', 'email'], description: 'sign in with a browser on this machine' }),
    'no-browser': Flags.boolean({ dependsOn: ['web'], description: 'print the URL instead of opening a browser' }),
    'token-stdin': Flags.boolean({
      exclusive: ['code', 'email', 'web'],
      description: 'read the token from standard input (default without a terminal)',
    }),
    as: Flags.string({ helpValue: 'NAME', description: 'name to store the server under' }),
  }

  async run(): Promise<void> {
    const { target } = this.session
    const way = await this.way()
    this.guard(target, way)
    const token = await this.tokenBy(way, target)
    const { workspace, as } = this.flags
    const { workspace: _, ...server } = this.session
    const signedIn = await signIn({ connection: this.connect({ ...server, token }), token, workspace, as })
    await this.out.done(
      `Signed in to ${signedIn.server} as ${signedIn.user}${signedIn.workspace ? `, in ${signedIn.workspace}` : ''}.`,
      signedIn,
      signedInView,
    )
  }

  private async way(): Promise<Way> {
    const { code, email, web, 'token-stdin': piped } = this.flags
    if (code !== undefined) return 'code'
    if (email !== undefined) return 'email'
    if (web) return 'web'
    if (piped || !interactive()) return 'token'
    return choose<Way>('How do you want to sign in?', [
      { name: 'With a pairing code', value: 'code', description: 'made by `muster pair` where you are signed in' },
      { name: 'With email and password', value: 'email' },
      { name: 'With a browser', value: 'web', description: 'on this machine' },
      { name: 'With a token', value: 'token', description: 'made by `muster tokens create`' },
    ])
  }

  /** Passwords are worth more than tokens: they never travel openly. */
  private guard(target: Target, way: Way): void {
    if (!travelsOpenly(target)) return
    if (way === 'email' || way === 'web')
      throw new InputError(
        `${target.key} is not encrypted: a password must not travel to it.`,
        'muster login --code CODE',
      )
    this.out.note(`${target.key} is not encrypted: whoever is on the way can read the token.`, 'yellow')
  }

  private async tokenBy(way: Way, target: Target): Promise<string> {
    const { token: _, ...stranger } = this.session
    const api = createClient(this.connect(stranger))
    if (way === 'code')
      return (await api.pairing.redeem({ body: { code: this.flags.code ?? (await ask('Pairing code', emptyFlaw)) } }))
        .cli_token
    if (way === 'email') return this.byPassword(api)
    if (way === 'web') return this.byBrowser(api, target)
    const token = (await secret(`Token for ${target.key}`, { piped: this.flags['token-stdin'] })).trim()
    if (/\s/.test(token))
      throw new InputError(
        'That is not a token: it has blanks in it.',
        'muster tokens create NAME, where you are signed in',
      )
    return token
  }

  private async byPassword(api: Client): Promise<string> {
    const { tokenByPassword } = await import('../contexts/password.ts')
    const email = this.flags.email ?? (await ask('Your email address', emailFlaw))
    const password = await secret('Your password', { piped: this.flags['password-stdin'] })
    const askForCode = async (again: boolean) => {
      if (!interactive())
        throw new InputError(
          again ? 'The code of the second factor is wrong.' : 'This account asks for a second factor.',
          'repeat the command with --otp CODE',
        )
      if (again) this.out.note('The code is wrong.', 'yellow')
      return ask('Code of your second factor')
    }
    const { token, lingers } = await tokenByPassword(api, { email, password, code: this.flags.otp, askForCode })
    if (lingers) this.out.note('The session that this took could not be ended. Next: muster sessions list', 'yellow')
    return token
  }

  private async byBrowser(api: Client, target: Target): Promise<string> {
    const { tokenByBrowser } = await import('../contexts/web.ts')
    return tokenByBrowser(api, {
      web: webAddress(target).key,
      lead: (address) => this.lead(address),
      wait: (code, until) => this.waiting(code, until),
    })
  }

  /**
   * Opens the address where that is possible; it is shown in any case, since a browser may come up elsewhere or not at
   * all.
   */
  private async lead(address: string): Promise<void> {
    const { browserless, openBrowser } = await import('../contexts/browser.ts')
    const why = this.flags['no-browser'] ? '' : browserless()
    const opened = why === undefined && (await openBrowser(address))
    process.stderr.write(
      `${opened ? 'If no browser comes up, open' : 'Open'} this address in a browser on this machine:\n\n` +
        `  ${address}\n\n`,
    )
    if (opened || why === '') return
    this.out.note(
      `${why === undefined ? 'No browser could be started' : `No browser is opened: ${why}`}. Other ways to sign ` +
        'in: muster login --email ADDRESS, or muster pair, where you are signed in already.',
      'yellow',
    )
  }

  private waiting(code: Promise<string>, until: number): Promise<string> {
    const left = () => `Waiting for the browser, ${timeLeft(until)} left. Ctrl-C cancels.`
    return this.progress(left(), async (say) => {
      const clock = setInterval(() => say(left()), 1000)
      return code.finally(() => clearInterval(clock))
    })
  }
}
