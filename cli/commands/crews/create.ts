import { Args, Flags } from '@oclif/core'
import { crewBody, crewFlags } from '../../bodies/crews.ts'
import { ApiCommand } from '../../command.ts'
import { slugFor } from '../../slug.ts'
import { crewView } from '../../views/crews.ts'

export default class CrewsCreate extends ApiCommand<typeof CrewsCreate> {
  static override summary = 'Create a crew'
  static override description = 'The container starts when it is first needed, or with `muster crews start`.'
  static override examples = [
    '$ <%= config.bin %> crews create "Web team"',
    '$ <%= config.bin %> crews create Research --slug lab --memory 4096 --cpus 2 --allowed-domain pypi.org ' +
      '--allowed-domain "*.pythonhosted.org"',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the crew' }) }
  static override flags = {
    slug: Flags.string({ description: 'short name for commands and URLs (default: derived from the name)' }),
    ...crewFlags,
  }

  async run(): Promise<void> {
    const { name } = this.args
    const crew = await this.api.crews.create({
      body: { ...crewBody(this.flags), name, slug: slugFor(name, this.flags.slug) },
    })
    for (const warning of crew.warnings ?? []) this.out.note(warning, 'yellow')
    await this.out.done(`Created crew ${crew.slug}.`, crew, crewView)
  }
}
