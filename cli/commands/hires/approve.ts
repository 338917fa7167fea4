import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { status } from '../../output/cell.ts'

export default class HiresApprove extends ApiCommand<typeof HiresApprove> {
  static override summary = 'Approve the hire of an agent'
  static override description =
    'Whoever decides first decides: here, in the inbox or with `muster approve`. An ADMIN refuses a hire with ' +
    '`muster deny ITEM`.'
  static override hiddenAliases = ['agents:approve-hire']
  static override result = { of: ['agents.approveHire'], members: ['slug'] }
  static override examples = ['$ <%= config.bin %> hires approve AGENT']
  static override next = { hire_settled: 'muster hires list', not_found: 'muster hires list' }
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const approved = await this.api.agents.approveHire({ agentId: id })
    const slug = this.args.agent === id ? (await this.api.agents.show({ agentId: id })).slug : this.args.agent
    await this.out.done(
      `Approved the hire of ${slug}.`,
      { ...approved, slug },
      {
        name: ({ slug }) => slug,
        columns: { NAME: ({ slug }) => slug, STATUS: (it) => status(it.status) },
      },
    )
  }
}
