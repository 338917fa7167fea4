import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class TemplatesDeploy extends ApiCommand<typeof TemplatesDeploy> {
  static override summary = 'Make a crew and its agents from a template'
  static override description =
    'The crew is called as its template unless --name says otherwise. Each agent has the slug of its crew behind its ' +
    'own, and is given the keys of the workspace that pay for its model.'
  static override examples = [
    '$ <%= config.bin %> templates deploy software-development',
    '$ <%= config.bin %> templates deploy security-audit --name "Audit of the shop" --slug audit',
  ]
  static override args = { 'crew-template': Args.string({ required: true, description: 'slug of the crew template' }) }
  static override flags = {
    name: Flags.string({ description: 'name of the crew' }),
    slug: Flags.string({ description: 'slug of the crew; made of its name unless given' }),
  }

  async run(): Promise<void> {
    const template = this.args['crew-template']
    const { slug } = this.flags
    const crew_name = this.flags.name ?? (await this.api.templates.show({ slug: template })).name
    const body = given<{ crew_name: string; crew_slug?: string }>({ crew_name, crew_slug: slug })
    const made = await this.api.templates.deploy({ slug: template, body })
    await this.out.done(`Made crew ${made.crew_slug} with ${made.agent_count} agents.`, made, {
      name: ({ crew_slug }) => crew_slug,
      columns: { NAME: ({ crew_slug }) => crew_slug, AGENTS: ({ agent_count }) => agent_count },
      detail: { Name: ({ crew_slug }) => crew_slug, Agents: ({ agent_count }) => agent_count },
    })
  }
}
