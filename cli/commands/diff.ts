import { ApiCommand } from '../command.ts'
import { workspaceInUse } from '../contexts/session.ts'
import { manifestsIn, planFlags, planOf, tryingOn, wishesOf } from '../manifests/planning.ts'
import { planText } from '../manifests/showing.ts'
import { machine } from '../output/format.ts'

const differs = 2

export default class Diff extends ApiCommand<typeof Diff> {
  static override summary = 'Show what an apply of files would change'
  static override description =
    'Ends with 0 when the workspace is as the files say, and with 2 when it is not, or when the files cannot be read.'
  static override examples = [
    '$ <%= config.bin %> diff -f workspace.yaml',
    '$ <%= config.bin %> diff -f crews/ --replace --json=steps',
  ]
  static override result = { of: ['manifests.apply'] }
  static override flags = planFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const found = await manifestsIn(this.flags.file)
    const plan = await planOf({ trying: tryingOn(this.connection), workspaceId }, found, wishesOf(this.flags))
    if (plan.steps.length) this.finish(differs)
    if (machine(this.out.wanted)) await this.out.done('', plan)
    else this.out.write(planText(plan, found, this.out.paint))
  }
}
