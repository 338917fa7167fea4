import { Args, Flags } from '@oclif/core'
import { parse } from 'yaml'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { crewId } from '../../lookup.ts'
import { definitionIn } from '../../routines/definition.ts'
import { nextAfter } from '../../routines/next.ts'
import { routineView, savedWords } from '../../views/routines.ts'

export default class RoutinesImport extends ApiCommand<typeof RoutinesImport> {
  static override summary = 'Import a routine from a bundle'
  static override examples = ['$ <%= config.bin %> routines import nightly-update.json --crew web-team']
  static override args = { file: Args.string({ required: true, description: 'bundle; - reads standard input' }) }
  static override flags = { crew: Flags.string({ description: 'crew whose agents and network its steps use' }) }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const bundle = parse(await definitionIn(this.args.file))
    const crew = this.flags.crew && (await crewId(this.api, this.flags.crew))
    const body = { ...(bundle as object), ...(crew && { author_crew_id: crew }) }
    const row = await this.api.routines.import({ workspaceId, body: body as never })
    this.upNext = nextAfter(row)
    await this.out.done(savedWords(row), row, routineView)
  }
}
