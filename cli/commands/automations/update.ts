import { Args, Flags } from '@oclif/core'
import { actionFlags, automationCalled, matcherFlags, matcherOf } from '../../automations/flags.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { membersOf } from '../../routines/inputs.ts'
import { automationView } from '../../views/automations.ts'

export default class AutomationsUpdate extends ApiCommand<typeof AutomationsUpdate> {
  static override summary = 'Change an automation'
  static override description = 'Conditions are added to those that it has, or with --replace-matcher take their place.'
  static override examples = [
    '$ <%= config.bin %> automations update "Look at failures" --debounce-seconds 60',
    '$ <%= config.bin %> automations update "Look at failures" --replace-matcher --severity error',
  ]
  static override args = { automation: Args.string({ required: true, description: 'name of the automation' }) }
  static override flags = {
    name: Flags.string({ description: 'another name' }),
    event: Flags.string({ helpValue: 'TYPE', description: 'type of the entry, such as run.failed' }),
    routine: Flags.string({ description: 'slug of the routine that is run' }),
    ...matcherFlags,
    'replace-matcher': Flags.boolean({ description: 'drop the conditions that it has' }),
    ...actionFlags,
  }

  async run(): Promise<void> {
    const before = await automationCalled(this.api, this.args.automation)
    const { name, event, routine, input } = this.flags
    const inputs = membersOf('input', input)
    const conditions = await matcherOf(this.api, this.flags)
    const fresh = this.flags['replace-matcher']
    const row = await this.api.automations.update({
      automationId: before.id,
      body: given({
        name,
        event_type: event,
        // An action is written as a whole: what is not said of it stays.
        action:
          routine || inputs
            ? { ...before.action, ...(routine && { routine_slug: routine }), ...(inputs && { inputs }) }
            : undefined,
        matcher: fresh || conditions ? { ...(!fresh && before.matcher), ...conditions } : undefined,
        debounce_seconds: this.flags['debounce-seconds'],
        max_per_hour: this.flags['max-per-hour'],
      }),
    })
    await this.out.done(`Changed automation ${row.name}.`, row, automationView)
  }
}
