import { Flags } from '@oclif/core'
import { skillCategories, skillMaturities, skillRuntimes } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, windowed, windowFlags } from '../../flags.ts'
import { skillView } from '../../views/skills.ts'

export default class SkillsList extends ApiCommand<typeof SkillsList> {
  static override summary = 'List skills, official ones first'
  static override description = 'All workspaces of a server share their skills.'
  static override examples = [
    '$ <%= config.bin %> skills',
    '$ <%= config.bin %> skills list --search pdf',
    '$ <%= config.bin %> skills list --category CODING --maturity OFFICIAL',
  ]
  static override flags = {
    search: Flags.string({ description: 'only those with these words in name, description or tags' }),
    category: Flags.string({ options: [...skillCategories], helpValue: 'CATEGORY', description: 'only this category' }),
    source: Flags.string({ description: 'only from there: CUSTOM, GENERATED, BUNDLED' }),
    vendor: Flags.string({ description: 'only of this vendor' }),
    maturity: Flags.string({ options: [...skillMaturities], helpValue: 'MATURITY', description: 'only this maturity' }),
    runtime: Flags.string({ options: [...skillRuntimes], helpValue: 'RUNTIME', description: 'only this kind' }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { search, category, source, vendor, maturity, runtime } = this.flags
    const filter = { search, category, source, vendor, maturity, runtime }
    const rows = await windowed(this.flags, (page) => this.api.skills.list({ query: given({ ...filter, ...page }) }))
    await this.out.list(rows, skillView)
  }
}
