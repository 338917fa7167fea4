import { Args } from '@oclif/core'
import { inColumns } from '../board/board.ts'
import { cardsOf } from '../board/cards.ts'
import { ApiCommand } from '../command.ts'
import { explain } from '../failure.ts'
import { whereIAm } from '../inbox/here.ts'
import { crewId } from '../lookup.ts'
import { issueView } from '../views/issues.ts'

const signals = { SIGTERM: 143, SIGHUP: 129 } as const

export default class Board extends ApiCommand<typeof Board> {
  static override summary = 'Show the issues of a crew by status, and move them'
  static override description =
    'At a terminal it shows a column for each status. Arrows or h, j, k and l choose an issue, < and > move it to ' +
    'the next status that it may have, Enter shows it; ? lists the keys. What others change is seen at once. ' +
    'Elsewhere it is a list in the order of the columns. It has up to 900 open issues, and the 100 closed ones that ' +
    'were changed last.'
  static override result = { of: ['issues.list'] }
  static override examples = [
    '$ <%= config.bin %> board web-team',
    '$ <%= config.bin %> board web-team --json=identifier,title,status',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    if (!this.atTerminal) return this.out.list(inColumns(await cardsOf(this.api, id)), issueView)
    const [{ workspaceId }, { slug }] = await Promise.all([
      whereIAm(this.api, this.session.workspace),
      this.api.crews.show({ crewId: id }),
    ])
    const { BoardScreen } = await import('../board/screen.ts')
    const leave = new AbortController()
    for (const [signal, code] of Object.entries(signals)) process.once(signal, () => leave.abort(code))
    const screen = new BoardScreen({
      api: this.api,
      connection: this.connection,
      workspaceId,
      crew: { id, slug },
      input: process.stdin,
      output: process.stdout,
      explain: (error) =>
        explain(error, {
          command: 'board',
          known: this.registry,
          local: this.session.serverOrigin === 'default',
          hasToken: Boolean(this.session.token),
        }).what,
    })
    this.finish(await screen.run(leave.signal))
  }
}
