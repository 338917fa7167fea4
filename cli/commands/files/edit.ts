import { Args } from '@oclif/core'
import { ProblemError } from '#client'
import { fetchFile, type SavedFile, sendFile } from '../../agent-files/transfer.ts'
import { ApiCommand } from '../../command.ts'
import { editDraft } from '../../editor.ts'
import { InputError, interactive } from '../../input.ts'
import { agentId } from '../../lookup.ts'
import { shellWord } from '../../output/shell-word.ts'
import { savedView } from '../../views/files.ts'

export default class FilesEdit extends ApiCommand<typeof FilesEdit> {
  static override summary = "Edit a file of an agent's output folder in your editor"
  static override description =
    'Opens $VISUAL or $EDITOR, else vi, and saves what you leave. When the agent or somebody else has changed the ' +
    'file meanwhile, nothing is saved, and your draft is kept on this machine. A file that is not there is made.'
  static override result = { of: ['files.save'] }
  static override examples = ['$ <%= config.bin %> files edit ada notes.md']
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    path: Args.string({ required: true, description: "path within the agent's folder" }),
  }

  async run(): Promise<void> {
    const { agent, path } = this.args
    const id = await agentId(this.api, agent)
    const before = await fetchFile(this.connection, id, path)
    if (!interactive())
      throw new InputError('An editor needs a terminal.', `muster files save ${shellWord(agent)} ${shellWord(path)}`)
    const draft = await editDraft(path, before?.content ?? Buffer.alloc(0))
    if (draft.content.equals(before?.content ?? Buffer.alloc(0))) {
      draft.drop()
      return this.out.note('You changed nothing.')
    }
    const saved = await this.save(id, draft.file, draft.content, before?.etag)
    draft.drop()
    await this.out.done(`${saved.path} is saved.`, saved, savedView)
  }

  private async save(id: string, draft: string, content: Buffer, etag: string | undefined): Promise<SavedFile> {
    const { agent, path } = this.args
    try {
      return await sendFile(this.connection, id, path, content, etag ? { etag } : 'absent')
    } catch (error) {
      this.out.note(`Your draft is kept in ${draft}.`, 'yellow')
      if (!(error instanceof ProblemError) || error.problem.code !== 'file_changed') throw error
      throw new InputError(
        `${path} was changed while you edited it, and is as it was left there.`,
        `muster files save ${shellWord(agent)} ${shellWord(path)} ${shellWord(draft)}`,
      )
    }
  }
}
