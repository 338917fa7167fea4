import { Args, Flags } from '@oclif/core'
import { automationCalled, matcherFlags, matcherOf } from '../../automations/flags.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { previewView } from '../../views/automations.ts'

export default class AutomationsPreview extends ApiCommand<typeof AutomationsPreview> {
  static override summary = 'Show which entries of the last week an automation would have matched'
  static override description =
    'Of one that is stored, or of --event with conditions. It says why nothing matched. Nothing begins.'
  static override next = { missing_field: 'muster automations preview --event run.failed' }
  static override examples = [
    '$ <%= config.bin %> automations preview "Look at failures"',
    '$ <%= config.bin %> automations preview --event run.failed --payload-equals exit_code=1',
  ]
  static override args = { automation: Args.string({ description: 'name of the automation' }) }
  static override flags = {
    event: Flags.string({ helpValue: 'TYPE', description: 'type of the entry, such as run.failed' }),
    ...matcherFlags,
  }

  async run(): Promise<void> {
    const { automation } = this.args
    const { event } = this.flags
    const automation_id = automation && (await automationCalled(this.api, automation)).id
    const matcher = await matcherOf(this.api, this.flags)
    const body = given<Parameters<typeof this.api.automations.preview>[0]['body']>({
      automation_id,
      event_type: event,
      matcher,
    })
    await this.out.show(await this.api.automations.preview({ body }), previewView)
  }
}
