import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { confirm, InputError } from '../../input.ts'
import { NotFound } from '../../lookup.ts'

type Session = { id: string; is_current: boolean }

export default class SessionsRevoke extends ApiCommand<typeof SessionsRevoke> {
  static override summary = 'Sign out one of your browsers, or all others'
  static override description =
    'Signs the browser out at once and closes its open connections. The command line uses a token, not a ' +
    'session, so --all-others there means all browsers.'
  static override examples = [
    '$ <%= config.bin %> sessions revoke s_4f1c09ab',
    '$ <%= config.bin %> sessions revoke --all-others --yes',
  ]
  static override args = { session: Args.string({ description: 'id of the session, or its beginning' }) }
  static override flags = {
    ...yesFlag,
    'all-others': Flags.boolean({ description: 'all sessions except the one in use' }),
  }

  async run(): Promise<void> {
    const all = this.flags['all-others'] === true
    const { session } = this.args
    if (all === (session !== undefined))
      throw new InputError('Name one session, or give --all-others.', 'muster sessions list')
    const chosen = all ? await this.others() : [await this.named(session!)]
    if (!chosen.length) return this.out.done('There is no other session.', { revoked: [] })
    await confirm(
      chosen.length === 1
        ? `Sign out the browser with session ${short(chosen[0]!)}?`
        : `Sign out ${chosen.length} browsers?`,
      this.flags.yes,
    )
    for (const sessionId of chosen) await this.api.sessions.revoke({ sessionId })
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
    return (await this.sessions()).filter(({ is_current }) => !is_current).map(({ id }) => id)
  }

  /** The one session whose id begins so. A whole id needs no looking up. */
  private async named(start: string): Promise<string> {
    if (/^s_[0-9a-f]{64}$/.test(start)) return start
    const found = (await this.sessions()).filter(({ id }) => id.startsWith(start) || id.startsWith(`s_${start}`))
    if (found.length > 1)
      throw new InputError(
        `${found.length} sessions begin with "${start}".`,
        'give more of the id, as `muster sessions list --json=id` shows it',
      )
    if (!found[0] || !start) throw new NotFound('session', start, undefined, 'muster sessions list')
    return found[0].id
  }

  private async sessions(): Promise<Session[]> {
    const all: Session[] = []
    for (let offset = 0; ; offset += 500) {
      const page = await this.api.sessions.list({ query: { limit: 500, offset } })
      all.push(...page)
      if (page.length < 500) return all
    }
  }
}

const short = (id: string): string => id.slice(0, 10)
