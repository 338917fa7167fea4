import { Flags } from '@oclif/core'
import { createClient, type Target } from '#client'
import { ApiCommand } from '../command.ts'
import { signIn, travelsOpenly } from '../contexts/sign-in.ts'
import { ask, choose, InputError, interactive, secret } from '../input.ts'
import { signedInView } from '../views/sign-in.ts'

export default class Login extends ApiCommand<typeof Login> {
  static override summary = 'Sign in to a server and remember it'
  static override description =
    'With a pairing code, made by `muster pair` where you are signed in already, or with a token: it is read from standard input, or asked for and typed unseen. The token is stored for this very server, in a file that only you can read, and sent nowhere else.'
  static override hiddenAliases = ['sessions:create']
  static override examples = [
    '$ <%= config.bin %> login',
    '$ <%= config.bin %> login -s https://muster.example.com --code K7QX-M2PD',
    '$ <%= config.bin %> login -s https://muster.example.com --as work < token.txt',
  ]
  static override next = { invalid_code: 'muster pair, where you are signed in, makes a new code' }
  static override flags = {
    code: Flags.string({ helpValue: 'XXXX-XXXX', description: 'pairing code' }),
    'token-stdin': Flags.boolean({ exclusive: ['code'], description: 'read the token from standard input; so it is anyway when that is no terminal' }),
    as: Flags.string({ helpValue: 'NAME', description: 'name to store the server under' }),
  }

  async run(): Promise<void> {
    const { target } = this.session
    if (travelsOpenly(target)) this.out.note(`${target.key} is not encrypted: whoever is on the way can read the token.`, 'yellow')
    const token = await this.token(target)
    const { workspace, as } = this.flags
    const signedIn = await signIn({ target, token, workspace, as })
    await this.out.done(`Signed in to ${signedIn.server} as ${signedIn.user}${signedIn.workspace ? `, in ${signedIn.workspace}` : ''}.`, signedIn, signedInView)
  }
  private async token(target: Target): Promise<string> {
    const piped = this.flags['token-stdin']
    const code = this.flags.code ?? (interactive() && !piped ? await this.askForCode() : undefined)
    if (code !== undefined) {
      const stranger = createClient({ server: target })
      return (await stranger.pairing.redeem({ body: { code } })).cli_token
    }
    const token = (await secret(`Token for ${target.key}`, { piped })).trim()
    if (/\s/.test(token)) throw new InputError('That is not a token: it has blanks in it.', 'muster tokens create NAME, where you are signed in')
    return token
  }

  private async askForCode(): Promise<string | undefined> {
    const way = await choose('How do you want to sign in?', [
      { name: 'With a pairing code', value: 'code', description: 'made by `muster pair` where you are signed in' },
      { name: 'With a token', value: 'token', description: 'made by `muster tokens create`' },
    ])
    return way === 'code' ? ask('Pairing code') : undefined
  }
}
