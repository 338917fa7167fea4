import { Args, Flags } from '@oclif/core'
import { actionFlags, matcherFlags, matcherOf } from '../../automations/flags.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { membersOf } from '../../routines/inputs.ts'
import { automationView } from '../../views/automations.ts'

export default class AutomationsCreate extends ApiCommand<typeof AutomationsCreate> {
  static override summary = 'Create an automation'
  static override description =
    'When the journal has a matching entry, it begins a run of the routine. Matches that come soon after each other ' +
    'become one run. What it would have matched: muster automations preview.'
  static override examples = [
    '$ <%= config.bin %> automations create "Look at failures" --event run.failed --routine look-at-failure',
    '$ <%= config.bin %> automations create "Failures of web" --event run.failed --routine look --crew web-team',
    "$ <%= config.bin %> automations create Exits --event run.failed --routine look --input 'run={{ event.run_id }}'",
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the automation' }) }
  static override flags = {
    event: Flags.string({ required: true, helpValue: 'TYPE', description: 'type of the entry, such as run.failed' }),
    routine: Flags.string({ required: true, description: 'slug of the routine that is run' }),
    ...matcherFlags,
    ...actionFlags,
    disabled: Flags.boolean({ description: 'do not begin anything yet' }),
  }

  async run(): Promise<void> {
    const { event, routine, input, disabled } = this.flags
    const inputs = membersOf('input', input)
    const matcher = await matcherOf(this.api, this.flags)
    const row = await this.api.automations.create({
      body: given({
        name: this.args.name,
        event_type: event,
        action: { routine_slug: routine, ...(inputs && { inputs }) },
        matcher,
        enabled: disabled ? false : undefined,
        debounce_seconds: this.flags['debounce-seconds'],
        max_per_hour: this.flags['max-per-hour'],
      }),
    })
    await this.out.done(`Created automation ${row.name}.`, row, automationView)
  }
}
