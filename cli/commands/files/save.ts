import { Args, Flags } from '@oclif/core'
import { type SavedFile, sendFile } from '../../agent-files/transfer.ts'
import { ApiCommand } from '../../command.ts'
import { fileBytes, InputError, stdinBytes } from '../../input.ts'
import { agentId } from '../../lookup.ts'
import { savedView } from '../../views/files.ts'

export default class FilesSave extends ApiCommand<typeof FilesSave> {
  static override summary = "Save a file in an agent's output folder"
  static override description =
    'Takes the content from a file of this machine, or from standard input. The file is replaced whole or not at ' +
    'all; folders are made. A file may have up to 32 MiB.'
  static override examples = [
    '$ <%= config.bin %> files save ada notes.md notes.md',
    '$ date | <%= config.bin %> files save ada data/today.txt',
    '$ <%= config.bin %> files save ada plan.md plan.md --new',
  ]
  static override next = {
    file_changed: 'muster files list AGENT',
    crew_not_running: 'muster crews start CREW',
  }
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    path: Args.string({ required: true, description: "path within the agent's folder" }),
    from: Args.string({ default: '-', description: 'file of this machine, or - for standard input' }),
  }
  static override flags = { new: Flags.boolean({ description: 'refuse to replace a file' }) }

  async run(): Promise<void> {
    const { agent, path, from } = this.args
    const content = from === '-' ? await piped() : fileBytes(from)
    const id = await agentId(this.api, agent)
    const saved: SavedFile = await this.progress(
      `Saving ${path}`,
      sendFile(this.connection, id, path, content, this.flags.new ? 'absent' : null),
    )
    await this.out.done(`${saved.path} is saved.`, saved, savedView)
  }
}

async function piped(): Promise<Buffer> {
  if (process.stdin.isTTY) throw new InputError('Name a file, or send the content on standard input.')
  return stdinBytes()
}
