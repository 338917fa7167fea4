import { Args, Flags } from '@oclif/core'
import { ProblemError } from '#client'
import { ApiCommand } from '../../command.ts'
import { edited } from '../../editor.ts'
import { fileOr, InputError, stdinText } from '../../input.ts'
import { memoryPath, pathHelp } from '../../memory/path.ts'
import { writtenView } from '../../views/memory.ts'

export default class MemoryEdit extends ApiCommand<typeof MemoryEdit> {
  static override summary = 'Write a memory file'
  static override description =
    'Opens $VISUAL or $EDITOR with the text as it stands, unless --content gives one. When somebody else has changed ' +
    'the file meanwhile, nothing is written.'
  static override result = { of: ['memory.write'] }
  static override hiddenAliases = ['memory:write']
  static override examples = [
    '$ <%= config.bin %> memory edit ada',
    '$ <%= config.bin %> memory edit crew:web --content @CREW.md',
    '$ <%= config.bin %> memory edit agent:ada/topics/deploys.md --content "Deploy on Tuesdays."',
  ]
  static override next = {
    body_too_large: 'shorten the text, or move parts of it to topics/NAME.md',
    memory_refused: 'leave out what the message names',
    memory_changed: 'repeat the command',
  }
  static override args = { path: Args.string({ required: true, description: pathHelp }) }
  static override flags = {
    content: Flags.string({ helpValue: 'TEXT', description: 'the text; @FILE reads a file, - standard input' }),
  }

  async run(): Promise<void> {
    const path = memoryPath(this.args.path)
    const before = await this.before(path)
    const content = await this.text(before?.content ?? '', path)
    if (!content.trim()) throw new InputError('The text is empty.', 'to have none, use `muster memory remove PATH`')
    const parent_sha = before?.sha256 ?? ''
    const reply = await this.api.memory.write({ body: { path, content, parent_sha } })
    await this.out.done(`Wrote ${reply.path}.`, reply, writtenView)
  }

  private async before(path: string) {
    try {
      return await this.api.memory.show({ query: { path } })
    } catch (error) {
      if (error instanceof ProblemError && error.problem.field === 'path' && error.problem.code === 'not_found')
        return undefined
      throw error
    }
  }

  private text(before: string, path: string): string | Promise<string> {
    const { content } = this.flags
    if (content === undefined)
      return edited(before, path.split('/').at(-1)!, 'repeat with --content TEXT or --content @FILE')
    return content === '-' ? stdinText() : fileOr(content)
  }
}
