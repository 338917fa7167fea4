import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { definitionIn, toldByLine } from '../../routines/definition.ts'
import { inputFlags, inputsIn } from '../../routines/inputs.ts'
import { dryView, triedView } from '../../views/routines.ts'

export default class RoutinesTest extends ApiCommand<typeof RoutinesTest> {
  static override summary = 'Check a definition without effects'
  static override examples = [
    '$ <%= config.bin %> routines test nightly-update.yaml',
    '$ <%= config.bin %> routines test nightly-update.yaml --input branch=main',
  ]
  static override args = {
    file: Args.string({ required: true, description: 'file in YAML or JSON; - reads standard input' }),
  }
  static override flags = inputFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const definition = await definitionIn(this.args.file)
    const tried = await toldByLine(this.args.file, definition, () =>
      this.api.routines.test({
        workspaceId,
        body: given({ definition, sample_inputs: inputsIn(this.flags), author_crew_id: undefined }),
      }),
    )
    if (this.out.wanted.format === 'auto' && tried.ok) await this.out.list(tried.steps, dryView)
    else await this.out.show(tried, triedView)
    if (tried.risk_reasons.length) this.out.note(`It would wait for approval: ${tried.risk_reasons.join(', ')}.`, 'dim')
    if (!tried.ok) this.finish(1)
  }
}
