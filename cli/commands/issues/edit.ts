import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { type Draft, editDraft } from '../../editor.ts'
import { InputError, interactive } from '../../input.ts'
import { fromText, type IssueText, toText } from '../../issues/text.ts'
import { issueName } from '../../lookup.ts'
import { shellWord } from '../../output/shell-word.ts'
import { issueView } from '../../views/issues.ts'

export default class IssuesEdit extends ApiCommand<typeof IssuesEdit> {
  static override summary = 'Edit the title and description of an issue in your editor'
  static override description =
    'Opens $VISUAL or $EDITOR, else vi: the title stands on the first line, the description below it. When somebody ' +
    'else has changed either meanwhile, nothing is sent, and your draft is kept on this machine.'
  static override result = { of: ['issues.update'] }
  static override examples = ['$ <%= config.bin %> issues edit WEB-12']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }

  async run(): Promise<void> {
    const before = await this.read()
    const { identifier, crew_id: crewId } = before
    if (!interactive())
      throw new InputError('An editor needs a terminal.', `muster issues update ${shellWord(identifier)} --title TITLE`)
    const text = toText(before)
    const draft = await editDraft('ISSUE.md', Buffer.from(text))
    const after = fromText(draft.content.toString('utf8'))
    const body = changes(fromText(text), after)
    if (draft.content.toString('utf8') === text || !Object.keys(body).length) {
      draft.drop()
      return this.out.note('You changed nothing.')
    }
    const changed = await this.keeping(draft, async () => {
      if (!after.title) throw new InputError('The first line, which is the title, is empty.')
      const now = await this.read()
      if (now.title !== before.title || now.description !== before.description)
        throw new InputError(`${identifier} was changed while you edited it, and is as it was left there.`)
      return this.api.issues.update({ crewId, identifier, body })
    })
    draft.drop()
    await this.out.done(`Changed issue ${identifier}.`, changed, issueView)
  }

  private read() {
    return this.api.issues.find({ identifier: issueName(this.args.issue) })
  }

  /** Does it, and says where the text is when it fails. */
  private async keeping<T>(draft: Draft, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (this.dry) draft.drop()
      else this.out.note(`Your draft is kept in ${draft.file}.`, 'yellow')
      throw error
    }
  }
}

/** The members that are other than before. */
const changes = (before: IssueText, after: IssueText): Partial<IssueText> => ({
  ...(after.title !== before.title && { title: after.title }),
  ...(after.description !== before.description && { description: after.description }),
})
