import { Args, Flags } from '@oclif/core'
import { issueBody, issueFlags } from '../../bodies/issues.ts'
import { ApiCommand } from '../../command.ts'
import { edited } from '../../editor.ts'
import { fileBytes, InputError, interactive, stdinText } from '../../input.ts'
import { issueTemplate } from '../../issues/template.ts'
import { fromText, type IssueText, toText } from '../../issues/text.ts'
import { crewId } from '../../lookup.ts'
import { issueView } from '../../views/issues.ts'

const instead = 'muster issues create TITLE --crew CREW'

export default class IssuesCreate extends ApiCommand<typeof IssuesCreate> {
  static override summary = 'Open an issue'
  static override description =
    'Without a title it opens $VISUAL or $EDITOR at a terminal: the title stands on the first line, the description ' +
    'below it. A file of --file is written so, too, and so is standard input where the title is -. Templates are ' +
    'Markdown files in .muster/issue-templates or .github/ISSUE_TEMPLATE of the project; what stands between --- ' +
    'above their text may have a title and labels.'
  static override examples = [
    '$ <%= config.bin %> issues create "Login fails on Safari" --crew web-team --label bug --priority high',
    '$ <%= config.bin %> issues create "Write the docs" --crew web-team --assignee ada --description @TASK.md',
    '$ git diff | <%= config.bin %> issues create "Review this" --crew web-team --description -',
    '$ <%= config.bin %> issues create --crew web-team --template bug',
    '$ <%= config.bin %> issues create - --crew web-team < issue.md',
  ]
  static override args = {
    title: Args.string({ description: 'title of the issue; - reads it and the description from standard input' }),
  }
  static override flags = {
    crew: Flags.string({ required: true, description: 'crew that works on it' }),
    file: Flags.string({
      helpValue: 'FILE',
      exclusive: ['description', 'template'],
      description: 'file with the title on its first line and the description below it; - reads standard input',
    }),
    template: Flags.string({ helpValue: 'NAME', description: 'issue template of the project to begin with' }),
    ...issueFlags,
  }

  async run(): Promise<void> {
    const { file, template, ...flags } = this.flags
    const begun = template === undefined ? undefined : issueTemplate(template)
    const labels = flags.label ?? (begun?.labels.length ? begun.labels : undefined)
    const members = await issueBody(this.api, this.session, { ...flags, ...(labels && { label: labels }) })
    const crew = await crewId(this.api, this.flags.crew)
    const { title, description } = await this.text(file, begun)
    const issue = await this.api.issues.create({
      crewId: crew,
      body: { ...(description && { description }), ...members, title },
    })
    await this.out.done(`Opened issue ${issue.identifier}.`, issue, issueView)
  }

  private async text(file: string | undefined, template: IssueText = nothing): Promise<IssueText> {
    const { title } = this.args
    if (file !== undefined && title !== undefined)
      throw new InputError('The title stands in the file, so none may be given beside it.', 'leave out TITLE or --file')
    if (title === '-' && (this.flags.description ?? this.flags.template) !== undefined)
      throw new InputError('Standard input holds the description too.', 'leave out --description and --template')
    if (title === '-') return named(fromText(await stdinText()))
    if (title !== undefined) return { ...template, title }
    if (file !== undefined) return named(fromText(file === '-' ? await stdinText() : fileBytes(file).toString('utf8')))
    if (!interactive()) return named(template)
    return named(fromText(await edited(toText(template), 'ISSUE.md', instead)))
  }
}

const nothing: IssueText = { title: '', description: '' }

/** Refuses what has no title. */
function named(text: IssueText): IssueText {
  if (!text.title) throw new InputError('The issue has no title.', instead)
  return text
}
