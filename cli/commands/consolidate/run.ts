import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { crewId } from '../../lookup.ts'

export default class ConsolidateRun extends ApiCommand<typeof ConsolidateRun> {
  static override summary = 'Have the journal read now for what crews are to remember'
  static override description =
    'A model of a provider that the workspace has a key of reads what crews went through, and proposes rules. They ' +
    'wait for people: nothing is remembered by itself. The daemon does the same every six hours.'
  static override examples = [
    '$ <%= config.bin %> consolidate run',
    '$ <%= config.bin %> consolidate run --crew web-team --since 3d',
  ]
  static override next = { consolidation_running: 'muster journal list --type system.consolidation_completed' }
  static override flags = {
    crew: Flags.string({ helpValue: 'CREW', description: 'only this crew (default: all)' }),
    since: Flags.string({ helpValue: 'TIME', description: 'how far back, such as 90m, 3d or 2w (default 24h)' }),
  }

  async run(): Promise<void> {
    const { crew, since } = this.flags
    const crew_id = crew === undefined ? undefined : await crewId(this.api, crew)
    const reply = await this.api.consolidate.run({ body: given({ crew_id, since }) })
    const said = reply.worker_id
      ? `The journal is being read (${reply.worker_id}).`
      : `Nothing was read. ${reply.note}.`
    await this.out.done(said, reply)
  }
}
