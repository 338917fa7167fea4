import { ApiCommand } from '../command.ts'
import { limited, listFlags } from '../flags.ts'
import { whereIAm } from '../inbox/here.ts'
import { standings } from '../runs/standing.ts'
import { standingView } from '../views/standing.ts'

export default class Ps extends ApiCommand<typeof Ps> {
  static override summary = 'Show what runs, what waits for whom, and what is queued'
  static override description =
    'Lists the runs that are not over. AGE tells how long a run has been in its state; without a terminal it is the ' +
    'time since when. A waiting run is answered with `muster inbox`, or in `muster chat` with its agent.'
  static override result = {
    members: ['run_id', 'agent', 'crew', 'state', 'since', 'waits_for', 'question', 'inbox_id'],
  }
  static override flags = listFlags
  static override examples = [
    '$ <%= config.bin %> ps',
    `$ <%= config.bin %> ps --jq '.[] | select(.waits_for == "you") | .inbox_id'`,
  ]

  async run(): Promise<void> {
    const { workspaceId } = await whereIAm(this.api, this.session.workspace)
    await this.out.list(limited(await standings(this.api, workspaceId), this.flags), standingView)
  }
}
