import { Args } from '@oclif/core'
import { evaluatorSlots } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { evaluatorsView } from '../../views/keeper.ts'

export default class KeeperResetSlot extends ApiCommand<typeof KeeperResetSlot> {
  static override summary = 'Take back what was set of who judges one thing'
  static override examples = ['$ <%= config.bin %> keeper reset-slot behavior']
  static override next = { invalid_field: 'muster keeper aux' }
  static override args = {
    slot: Args.string({ required: true, options: [...evaluatorSlots], description: 'what is judged' }),
  }

  async run(): Promise<void> {
    const { slot } = this.args
    const reply = await this.api.keeper.resetSlot({ slot })
    await this.out.done(`Who judges ${slot} is as the configuration of the server says.`, reply, evaluatorsView)
  }
}
