import { Args } from '@oclif/core'
import { automationCalled } from '../../automations/flags.ts'
import { ApiCommand } from '../../command.ts'
import { automationView } from '../../views/automations.ts'

export default class AutomationsDisable extends ApiCommand<typeof AutomationsDisable> {
  static override summary = 'Disable an automation'
  static override result = { of: ['automations.update'] }
  static override examples = ['$ <%= config.bin %> automations disable "Look at failures"']
  static override args = { automation: Args.string({ required: true, description: 'name of the automation' }) }

  async run(): Promise<void> {
    const { id, name } = await automationCalled(this.api, this.args.automation)
    const row = await this.api.automations.update({ automationId: id, body: { enabled: false } })
    await this.out.done(`Disabled automation ${name}.`, row, automationView)
  }
}
