import { Args } from '@oclif/core'
import { evaluatorSlots } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { judgeTestView } from '../../views/keeper.ts'

export default class KeeperProbe extends ApiCommand<typeof KeeperProbe> {
  static override summary = 'Try who judges one thing with one question'
  static override description = 'Exits with 1 when there is no verdict.'
  static override examples = ['$ <%= config.bin %> keeper probe behavior']
  static override next = { invalid_field: 'muster keeper aux' }
  static override args = {
    slot: Args.string({ required: true, options: [...evaluatorSlots], description: 'what is judged' }),
  }

  async run(): Promise<void> {
    const reply = await this.api.keeper.probe({ slot: this.args.slot })
    await this.out.show(reply, judgeTestView)
    if (!reply.ok) process.exitCode = 1
  }
}
