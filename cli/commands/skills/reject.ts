import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'

export default class SkillsReject extends ApiCommand<typeof SkillsReject> {
  static override summary = 'Reject a skill that a crew learned, and remove its text'
  static override description = '`muster deny` does the same. What was rejected is not proposed again.'
  static override examples = ['$ <%= config.bin %> skills reject skill-deploy.md --crew web']
  static override next = { not_found: 'muster skills proposed --crew CREW' }
  static override args = { file: Args.string({ required: true, description: 'file of the proposed skill' }) }
  static override flags = {
    crew: Flags.string({ required: true, helpValue: 'CREW', description: 'crew that learned it' }),
  }

  async run(): Promise<void> {
    const crew_id = await crewId(this.api, this.flags.crew)
    const reply = await this.api.skills.reject({ body: { crew_id, file_name: this.args.file } })
    await this.out.done('Rejected.', reply)
  }
}
