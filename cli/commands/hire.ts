import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { exits } from '../failure.ts'
import { durationMs, given } from '../flags.ts'
import { decided, minutesOf } from '../hiring.ts'
import { agentId, crewId } from '../lookup.ts'
import { hireView } from '../views/hires.ts'

const timedOut = 3

export default class Hire extends ApiCommand<typeof Hire> {
  static override summary = 'Hire an agent for a limited time'
  static override description =
    'The agent is like the lead of a crew template, works in the crew that hires it, and stays for 30 minutes unless ' +
    '--ttl says otherwise. Then it becomes a ghost: its history stays, and it does no more work until it is hired ' +
    'again. The policy of the crew decides whether people have to approve it first.\n\nWith --wait the command ends ' +
    'once they have decided: with 0 when the agent may work, 1 when it may not, and 3 when --timeout is over.'
  static override hiddenAliases = ['agents:hire']
  static override examples = [
    '$ <%= config.bin %> hire --crew web-team --template security-audit --reason "review the login"',
    '$ <%= config.bin %> hire --crew web-team --template data-engineering --ttl 4h --reason "move the logs" --wait',
  ]
  static override next = {
    hire_quota: 'muster hires list',
    policy_refused: 'muster policies list',
  }
  static override flags = {
    crew: Flags.string({ required: true, description: 'crew that hires it' }),
    template: Flags.string({ required: true, helpValue: 'SLUG', description: 'crew template that says what it is' }),
    reason: Flags.string({ required: true, helpValue: 'TEXT', description: 'what it is needed for' }),
    ttl: Flags.string({ helpValue: 'DURATION', description: 'how long it stays, up to 24h (default 30m)' }),
    model: Flags.string({ description: 'its model (default: that of the template)' }),
    'parent-lead': Flags.string({ helpValue: 'AGENT', description: 'lead of the crew that it works for' }),
    wait: Flags.boolean({ description: 'wait until people have decided' }),
    timeout: Flags.string({ helpValue: 'TIME', dependsOn: ['wait'], description: 'maximum time to wait, such as 10m' }),
  }

  async run(): Promise<void> {
    const { crew, template, reason, model, wait } = this.flags
    const ttl_minutes = minutesOf(this.flags.ttl)
    const timeout = durationMs(this.flags.timeout, '--timeout')
    const lead = this.flags['parent-lead']
    const [crew_id, parent_lead_id] = await Promise.all([
      crewId(this.api, crew),
      lead === undefined ? undefined : agentId(this.api, lead),
    ])
    const hired = await this.api.agents.hire({
      body: given({ crew_id, template_slug: template, reason, ttl_minutes, model, parent_lead_id }),
    })
    if (!hired.pending_review) return this.out.done(`Hired ${hired.slug}.`, hired, hireView)
    if (wait) return this.wait(hired, timeout)
    await this.out.done(`${hired.slug} is hired once people approve it.`, hired, hireView)
    this.out.note(`Next: muster hires approve ${hired.slug}`, 'yellow')
  }

  private async wait(hired: Parameters<typeof hireView.name>[0], timeout: number | undefined): Promise<void> {
    this.out.note(`${hired.slug} waits for approval.`, 'yellow')
    const outcome = await this.progress('Waiting for a decision', decided(this.api, hired.id, timeout))
    if (outcome === 'approved') {
      const { status } = await this.api.agents.show({ agentId: hired.id })
      return this.out.done(`Hired ${hired.slug}.`, { ...hired, status, pending_review: false }, hireView)
    }
    this.finish(outcome === 'over' ? exits.other : timedOut)
    await this.out.show(hired, hireView)
    this.out.note(outcome === 'over' ? 'The hire was not approved.' : 'Nobody has decided yet.', 'yellow')
  }
}
