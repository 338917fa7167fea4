import { Args } from '@oclif/core'
import { automationCalled } from '../../automations/flags.ts'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class AutomationsRemove extends ApiCommand<typeof AutomationsRemove> {
  static override summary = 'Delete an automation'
  static override examples = ['$ <%= config.bin %> automations remove "Look at failures" --yes']
  static override args = { automation: Args.string({ required: true, description: 'name of the automation' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { id, name } = await automationCalled(this.api, this.args.automation)
    await this.confirm(`Delete automation ${name}?`)
    const gone = await this.api.automations.remove({ automationId: id })
    await this.out.done(`Deleted automation ${name}.`, gone)
  }
}
