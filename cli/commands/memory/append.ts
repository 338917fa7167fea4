import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { fileOr, stdinText } from '../../input.ts'
import { memoryPath, pathHelp } from '../../memory/path.ts'
import { writtenView } from '../../views/memory.ts'

export default class MemoryAppend extends ApiCommand<typeof MemoryAppend> {
  static override summary = 'Append to a memory file'
  static override examples = [
    '$ <%= config.bin %> memory append ada "The staging database is read-only on Mondays."',
    '$ <%= config.bin %> memory append "crew:web/topics/deploys.md" @notes.md',
  ]
  static override next = {
    body_too_large: 'muster memory edit PATH',
    memory_refused: 'leave out what the message names',
  }
  static override args = {
    path: Args.string({ required: true, description: pathHelp }),
    text: Args.string({ required: true, description: 'what is appended; @FILE reads a file, - standard input' }),
  }

  async run(): Promise<void> {
    const { path, text } = this.args
    const content = text === '-' ? await stdinText() : fileOr(text)
    const reply = await this.api.memory.append({ body: { path: memoryPath(path), content } })
    await this.out.done(`Appended to ${reply.path}.`, reply, writtenView)
  }
}
