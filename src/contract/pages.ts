import { get } from './define.ts'

/** A page for browsers: the same bytes for everybody, whatever its address holds. */
const page = <const P extends string>(path: P, summary: string) =>
  get(path, { root: true, kind: 'text', access: 'public', rate: 'none', summary })

/** The few pages that mails, redirects and `muster login --web` lead to. docs/rules/accounts.md, "Sign-in". */
export const pages = {
  home: page('/', 'Say what this server is and how to connect'),
  login: page('/login', 'Sign in with a browser'),
  loginCli: page('/login/cli', 'Let the command line that asks sign in as you'),
  resetPassword: page('/reset-password', 'Choose a password with the token of a mail'),
  invitation: page('/invitation', 'Accept an invitation with the token of its link'),
  decide: page('/decide', 'Decide what waits for you, with a link of a message'),
  asset: get('/assets/:name', {
    root: true,
    kind: 'text',
    access: 'public',
    rate: 'none',
    summary: 'Read a style or a script of these pages',
    throws: ['not_found'],
  }),
}
