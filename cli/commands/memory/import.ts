import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { agentId } from '../../lookup.ts'
import { documentsIn } from '../../memory/archive.ts'
import { importView } from '../../views/memory.ts'

export default class MemoryImport extends ApiCommand<typeof MemoryImport> {
  static override summary = 'Import memory files of an agent and its crew'
  static override description =
    'From a folder or a ZIP archive as `muster memory export` writes it: AGENT.md and the like are of the agent, ' +
    'what stands below crew/ is of its crew. Files of the same name are replaced; their versions stay.'
  static override result = { of: ['memory.import'] }
  static override examples = [
    '$ <%= config.bin %> memory import ada ada-memory.zip',
    '$ <%= config.bin %> memory import ada ./notes',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    documents: Args.string({ required: true, description: 'folder or archive' }),
  }

  async run(): Promise<void> {
    const { slug, crew_id } = await this.api.agents.show({ agentId: await agentId(this.api, this.args.agent) })
    if (!crew_id) throw new InputError(`${slug} is in no crew.`, `muster agents update ${slug} --crew CREW`)
    const documents = documentsIn(this.args.documents, (path) =>
      this.out.note(`${path}: a link, which is not followed`, 'yellow'),
    )
    const body = { crew_id, agent_slug: slug, documents }
    const reply = await this.api.memory.import({ body })
    const { written, rejected, failed } = reply
    for (const { path, reason } of reply.documents) this.out.note(`${path}: ${reason}`, 'yellow')
    await this.out.done(
      `Wrote ${written} ${written === 1 ? 'file' : 'files'}, left out ${rejected + failed}.`,
      reply,
      importView,
    )
  }
}
