import { Args, Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../command.ts'
import { writeNew } from '../../files.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { crewId } from '../../lookup.ts'

export default class MemoryExport extends ApiCommand<typeof MemoryExport> {
  static override summary = 'Export the memory of a crew as a ZIP archive'
  static override description =
    'The files of the crew stand below crew/, those of its agents below agents/SLUG/. --agent exports one agent alone.'
  static override result = { members: ['file', 'bytes'] }
  static override examples = [
    '$ <%= config.bin %> memory export web',
    '$ <%= config.bin %> memory export web --agent ada --to ada.zip',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = {
    agent: Flags.string({ helpValue: 'AGENT', description: 'agent whose memory alone is exported' }),
    to: Flags.string({ helpValue: 'FILE', description: 'file to write, or - for standard output; CREW-memory.zip' }),
    force: Flags.boolean({ description: 'overwrite an existing file' }),
  }

  async run(): Promise<void> {
    const { agent, force } = this.flags
    const { crew } = this.args
    const query = given({ crew_id: await crewId(this.api, crew), agent_slug: agent })
    const { method, path } = locate('memory.export', { query })
    const { body } = await this.connection.request(method, path, { headers: { accept: 'application/zip' } })
    const to = this.flags.to ?? `${agent ?? crew}-memory.zip`
    if (to === '-') {
      if (this.out.terminal) throw new InputError('An archive cannot be shown on a terminal.', 'name a file with --to')
      process.stdout.write(body)
      return
    }
    writeNew(to, body, { force })
    await this.out.done(`Wrote ${to}.`, { file: to, bytes: body.length })
  }
}
