import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { NotFound } from '../../lookup/find.ts'
import { crewId } from '../../lookup.ts'
import { proposedSkillDetailView, proposedSkillView } from '../../views/skills.ts'

export default class SkillsProposed extends ApiCommand<typeof SkillsProposed> {
  static override summary = 'List skills made of what a crew learned, or show one'
  static override description = 'They wait for a decision: approve or reject one by its file.'
  static override examples = [
    '$ <%= config.bin %> skills proposed --crew web',
    '$ <%= config.bin %> skills proposed skill-deploy.md --crew web',
  ]
  static override args = { file: Args.string({ description: 'file of the skill to show' }) }
  static override flags = {
    ...listFlags,
    crew: Flags.string({ required: true, helpValue: 'CREW', description: 'crew that learned them' }),
  }

  async run(): Promise<void> {
    const { crew } = this.flags
    const { file } = this.args
    const rows = await this.api.skills.proposed({ query: { crew_id: await crewId(this.api, crew) } })
    if (file === undefined) return this.out.list(limited(rows, this.flags), proposedSkillView)
    const row = rows.find(({ file_name }) => file_name === file)
    if (!row) throw new NotFound('proposed skill', file, undefined, `muster skills proposed --crew ${crew}`)
    await this.out.show(row, proposedSkillDetailView)
  }
}
