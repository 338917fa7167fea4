import { Args } from '@oclif/core'
import { automationCalled } from '../../automations/flags.ts'
import { ApiCommand } from '../../command.ts'
import { automationView } from '../../views/automations.ts'

export default class AutomationsEnable extends ApiCommand<typeof AutomationsEnable> {
  static override summary = 'Enable an automation'
  static override result = { of: ['automations.update'] }
  static override examples = ['$ <%= config.bin %> automations enable "Look at failures"']
  static override args = { automation: Args.string({ required: true, description: 'name of the automation' }) }

  async run(): Promise<void> {
    const { id, name } = await automationCalled(this.api, this.args.automation)
    const row = await this.api.automations.update({ automationId: id, body: { enabled: true } })
    await this.out.done(`Enabled automation ${name}.`, row, automationView)
  }
}
