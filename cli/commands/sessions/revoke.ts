import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, yesFlag } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { shortIds } from '../../output/short-id.ts'

export default class SessionsRevoke extends ApiCommand<typeof SessionsRevoke> {
  static override summary = 'Sign out one of your browsers, or all others'
  static override description =
    'Signs the browser out at once and closes its open connections. The command line uses a token, not a ' +
    'session, so --all-others there means all browsers.'
  static override result = { members: ['revoked'] }
  static override examples = [
    '$ <%= config.bin %> sessions revoke s_4f1c09ab',
    '$ <%= config.bin %> sessions revoke --all-others --yes',
  ]
  static override args = { session: Args.string({ description: 'id of the session, or its beginning or end' }) }
  static override flags = {
    ...yesFlag,
    'all-others': Flags.boolean({ description: 'all sessions except the one in use' }),
  }

  async run(): Promise<void> {
    const all = this.flags['all-others'] === true
    const { session } = this.args
    if (all === (session !== undefined))
      throw new InputError('Name one session, or give --all-others.', 'muster sessions list')
    const chosen = all ? await this.others() : [session!]
    if (!chosen.length) return this.out.done('There is no other session.', { revoked: [] })
    await this.confirm(
      chosen.length === 1
        ? `Sign out the browser with session ${short(chosen[0]!)}?`
        : `Sign out ${chosen.length} browsers?`,
    )
    await this.each(chosen, (sessionId) => this.api.sessions.revoke({ sessionId }))
    await this.out.done(
      chosen.length === 1
        ? `Signed out the browser with session ${short(chosen[0]!)}.`
        : `Signed out ${chosen.length} browsers.`,
      {
        revoked: chosen,
      },
    )
  }

  private async others(): Promise<string[]> {
    const own = await windowed({ all: true }, (query) => this.api.sessions.list({ query }))
    return own.filter(({ is_current }) => !is_current).map(({ id }) => id)
  }
}

const short = (id: string): string => shortIds([id])[0]!
