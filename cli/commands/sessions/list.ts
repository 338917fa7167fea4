import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { countStale, sessionView } from '../../views/sessions.ts'

export default class SessionsList extends ApiCommand<typeof SessionsList> {
  static override summary = 'List the browsers where you are signed in, most recently used first'
  static override description = 'Tokens of the command line are not sessions: see `muster tokens list`.'
  static override examples = [
    '$ <%= config.bin %> sessions',
    '$ <%= config.bin %> sessions list --warn-stale-days 30',
    '$ <%= config.bin %> sessions list --json=id,ip,last_used_at',
  ]
  static override flags = {
    ...windowFlags,
    'warn-stale-days': Flags.integer({
      min: 1,
      helpValue: 'N',
      description: 'mark sessions unused for this many days',
    }),
  }

  async run(): Promise<void> {
    const days = this.flags['warn-stale-days']
    const sessions = await windowed(this.flags, (query) => this.api.sessions.list({ query }))
    await this.out.list(sessions, sessionView(days))
    const stale = days === undefined ? 0 : countStale(sessions, days)
    if (stale)
      this.out.note(
        `${stale} of ${sessions.length} unused for more than ${days} days. Next: muster sessions revoke ID`,
        'yellow',
      )
  }
}
