import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { signIn, travelsOpenly } from '../contexts/sign-in.ts'
import { InputError, secret } from '../input.ts'
import { signedInView } from '../views/sign-in.ts'

export default class Login extends ApiCommand<typeof Login> {
  static override summary = 'Sign in to a server and remember it'
  static override description =
    `The token is read from standard input, or asked for and typed unseen. It is stored for this very server, in a file that only you can read, and sent nowhere else.`
  static override examples = ['$ <%= config.bin %> login', '$ <%= config.bin %> login -s https://muster.example.com --as work < token.txt']
  static override flags = { as: Flags.string({ helpValue: 'NAME', description: 'name to store the server under' }) }

  async run(): Promise<void> {
    const { target } = this.session
    if (travelsOpenly(target)) this.out.note(`${target.key} is not encrypted: whoever is on the way can read the token.`, 'yellow')
    const token = (await secret(`Token for ${target.key}`)).trim()
    if (/\s/.test(token)) throw new InputError('That is not a token: it has blanks in it.', 'muster tokens create NAME, on a machine that is signed in')
    const { workspace, as } = this.flags
    const signedIn = await signIn({ target, token, workspace, as })
    await this.out.done(`Signed in to ${signedIn.server} as ${signedIn.user}${signedIn.workspace ? `, in ${signedIn.workspace}` : ''}.`, signedIn, signedInView)
  }
}
