import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { workspaceInUse } from '../contexts/session.ts'
import { placed } from '../manifests/mistakes.ts'
import { applyMs, documentsOf, manifestsIn, planFlags, planOf, tryingOn, wishesOf } from '../manifests/planning.ts'
import { planText } from '../manifests/showing.ts'
import { valuesFor } from '../manifests/values.ts'

export default class Apply extends ApiCommand<typeof Apply> {
  static override summary = 'Make a workspace what files say'
  static override description =
    'Shows what would be created, changed and destroyed, asks, and does all of it or nothing. Members that the files ' +
    'do not name stay as they are, and so does all that they do not name but agents of the crews that they describe. ' +
    'Applied again, the same files change nothing.\n\nValues of credentials are never in files: they come from the ' +
    'environment, from a file of secrets, or are typed.'
  static override hiddenAliases = ['manifests:apply']
  static override examples = [
    '$ <%= config.bin %> apply -f workspace.yaml',
    '$ <%= config.bin %> apply -f crews/ --yes --from-env',
    '$ <%= config.bin %> export | <%= config.bin %> apply -f - -w staging --yes',
  ]
  static override next = {
    plan_outdated: 'muster diff -f FILE',
    insufficient_role: 'muster whoami, which shows your role',
  }
  static override result = { of: ['manifests.apply'] }
  static override flags = {
    ...planFlags,
    yes: Flags.boolean({ char: 'y', description: 'apply without asking' }),
    'from-env': Flags.boolean({ description: 'take values of new credentials from the environment' }),
    'secrets-file': Flags.string({
      helpValue: 'FILE',
      description: 'take values of new credentials from a file of NAME=value lines',
    }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const found = await manifestsIn(this.flags.file)
    const wishes = wishesOf(this.flags)
    const trying = this.dry ? this.api : tryingOn(this.connection)
    const plan = await this.progress('Making a plan', planOf({ trying, workspaceId }, found, wishes))
    const nothing = !plan.created && !plan.changed && !plan.destroyed
    if (this.dry || nothing) {
      await this.out.done(planText(plan, found, this.out.paint).trimEnd(), plan)
      if (this.dry) this.out.note('This was a dry run: nothing was changed.', 'dim')
      return
    }
    this.out.note(planText(plan, found, this.out.paint).trimEnd())
    await this.confirm('Apply this?')
    const values = await valuesFor(plan.needs, this.flags)
    const body = { ...wishes, values, digest: plan.digest, documents: documentsOf(found) }
    const applying = this.api.manifests.apply({ workspaceId, body }, { timeout: applyMs })
    const done = await this.progress('Applying', placed(found, applying))
    const { created, changed, destroyed } = done
    await this.out.done(`Applied: ${created} created, ${changed} changed, ${destroyed} destroyed.`, done)
  }
}
