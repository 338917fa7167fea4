import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { definitionIn } from '../../routines/definition.ts'
import { nextAfter } from '../../routines/next.ts'
import { saveDefinition, saveFlags } from '../../routines/saving.ts'
import { routineView, savedWords } from '../../views/routines.ts'

export default class RoutinesSave extends ApiCommand<typeof RoutinesSave> {
  static override summary = 'Save a routine: a new one, or a new version'
  static override description =
    'It is tested first, without effects. A definition with http or code steps, hosts or credentials waits for ' +
    'approval; an ADMIN may say --approved.'
  static override examples = [
    '$ <%= config.bin %> routines save nightly-update.yaml',
    '$ <%= config.bin %> routines save nightly-update.yaml --crew web-team --message "Ask before it merges"',
  ]
  static override args = {
    file: Args.string({ required: true, description: 'file in YAML or JSON; - reads standard input' }),
  }
  static override flags = saveFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const definition = await definitionIn(this.args.file)
    const row = await saveDefinition(this.api, workspaceId, this.args.file, definition, this.flags)
    this.upNext = nextAfter(row)
    await this.out.done(savedWords(row), row, routineView)
  }
}
