import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { given } from '../flags.ts'
import { minutesOf } from '../hiring.ts'
import { agentId } from '../lookup.ts'
import { hireView } from '../views/hires.ts'

export default class Rehire extends ApiCommand<typeof Rehire> {
  static override summary = 'Hire a hired agent again, or for longer'
  static override description =
    'A ghost may work again, with what it left: its chats, files and sessions. An agent whose time is not over stays ' +
    'longer; it never loses time.'
  static override hiddenAliases = ['agents:rehire']
  static override examples = [
    '$ <%= config.bin %> rehire AGENT --reason "one more question"',
    '$ <%= config.bin %> rehire AGENT --ttl 2h --reason "the review takes longer"',
  ]
  static override next = { hire_quota: 'muster hires list', not_found: 'muster hires list' }
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    reason: Flags.string({ required: true, helpValue: 'TEXT', description: 'what it is needed for' }),
    ttl: Flags.string({ helpValue: 'DURATION', description: 'how long it stays from now, up to 24h (default 30m)' }),
  }

  async run(): Promise<void> {
    const { reason, ttl } = this.flags
    const ttl_minutes = minutesOf(ttl)
    const id = await agentId(this.api, this.args.agent)
    const hired = await this.api.agents.rehire({ agentId: id, body: given({ reason, ttl_minutes }) })
    const waits = hired.pending_review ? ' It waits for approval.' : ''
    await this.out.done(`${hired.slug} stays until ${hired.expires_at}.${waits}`, hired, hireView)
  }
}
