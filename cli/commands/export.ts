import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { workspaceInUse } from '../contexts/session.ts'

export default class Export extends ApiCommand<typeof Export> {
  static override summary = 'Write a workspace as files that can be applied'
  static override description =
    'Writes documents of YAML, one after the other. Credentials are named, and their values left out. Of issues ' +
    'there are those that files made and that are not over; chats, memory and all that happened are left out.\n\n' +
    'An apply takes files of 4 MiB. With --to, larger workspaces are several files, and long prompts stand beside them.'
  static override hiddenAliases = ['manifests:export']
  static override result = { any: true as const }
  static override examples = [
    '$ <%= config.bin %> export > workspace.yaml',
    '$ <%= config.bin %> export --to workspace',
    '$ <%= config.bin %> export -o json',
  ]

  static override flags = { to: Flags.string({ helpValue: 'FOLDER', description: 'write files into a new folder' }) }

  async run(): Promise<void> {
    const { documents } = await this.api.manifests.export({ workspaceId: workspaceInUse(this.session) })
    const { to } = this.flags
    if (to !== undefined) {
      const { writeManifests } = await import('../manifests/writing.ts')
      const files = writeManifests(to, documents)
      return this.out.done(`Wrote ${documents.length} documents into ${to}.`, { folder: to, files })
    }
    const { format, jq } = this.out.wanted
    if (jq !== undefined || format === 'json' || format === 'ndjson') return this.out.value(documents)
    const { cleanYaml } = await import('../output/yaml.ts')
    this.out.write(documents.map((it) => `---\n${cleanYaml(it)}`).join(''))
  }
}
