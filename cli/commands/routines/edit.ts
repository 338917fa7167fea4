import { Args } from '@oclif/core'
import { stringify } from 'yaml'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { editDraft } from '../../editor.ts'
import { Cancelled, InputError, interactive } from '../../input.ts'
import { shellWord } from '../../output/shell-word.ts'
import { nextAfter } from '../../routines/next.ts'
import { saveDefinition, saveFlags } from '../../routines/saving.ts'
import { routineView, savedWords } from '../../views/routines.ts'

export default class RoutinesEdit extends ApiCommand<typeof RoutinesEdit> {
  static override summary = 'Edit a routine in your editor'
  static override description =
    'Opens its newest definition as YAML in $VISUAL or $EDITOR, else vi. What is wrong is shown with its lines, and ' +
    'the editor opens again. When somebody else has saved a version meanwhile, nothing is saved.'
  static override result = { of: ['routines.save'] }
  static override examples = ['$ <%= config.bin %> routines edit nightly-update --message "Ask before it merges"']
  static override args = { routine: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = saveFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { routine: routineSlug } = this.args
    if (!interactive())
      throw new InputError('An editor needs a terminal.', `muster routines save ${shellWord(`${routineSlug}.yaml`)}`)
    const before = await this.api.routines.show({ workspaceId, routineSlug })
    const text = stringify(before.definition)
    let draft = text
    for (;;) {
      const edited = await editDraft(`${routineSlug}.yaml`, Buffer.from(draft))
      draft = edited.content.toString('utf8')
      if (draft === text) {
        edited.drop()
        return this.out.note('You changed nothing.')
      }
      try {
        const row = await saveDefinition(this.api, workspaceId, edited.file, draft, this.flags, before.version)
        edited.drop()
        this.upNext = nextAfter(row)
        return await this.out.done(savedWords(row), row, routineView)
      } catch (error) {
        if (!(error instanceof InputError)) {
          this.out.note(`Your draft is kept in ${edited.file}.`, 'yellow')
          throw error
        }
        this.out.note(error.message, 'yellow')
        await this.confirm('Edit it again?').catch(() => {
          throw new Cancelled(`Nothing was saved. Your draft is kept in ${edited.file}.`)
        })
        edited.drop()
      }
    }
  }
}
