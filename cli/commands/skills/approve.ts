import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'

export default class SkillsApprove extends ApiCommand<typeof SkillsApprove> {
  static override summary = 'Store a skill that a crew learned'
  static override description =
    '`muster approve` does the same. `muster skills proposed FILE --crew CREW` shows its text.'
  static override examples = ['$ <%= config.bin %> skills approve skill-deploy.md --crew web']
  static override next = { not_found: 'muster skills proposed --crew CREW' }
  static override args = { file: Args.string({ required: true, description: 'file of the proposed skill' }) }
  static override flags = {
    crew: Flags.string({ required: true, helpValue: 'CREW', description: 'crew that learned it' }),
  }

  async run(): Promise<void> {
    const crew_id = await crewId(this.api, this.flags.crew)
    const reply = await this.api.skills.approve({ body: { crew_id, file_name: this.args.file } })
    await this.out.done(
      `Approved. Skill ${reply.slug} can be given to agents: muster skills assign ${reply.slug} --agent AGENT`,
      reply,
    )
  }
}
