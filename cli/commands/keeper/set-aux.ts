import { Args, Flags } from '@oclif/core'
import { evaluatorSlots } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { credentialId } from '../../lookup.ts'
import { evaluatorsView } from '../../views/keeper.ts'

export default class KeeperSetAux extends ApiCommand<typeof KeeperSetAux> {
  static override summary = 'Set who judges one thing beside credentials'
  static override description = 'Changes only what is given. Empty text takes back what was set.'
  static override examples = [
    '$ <%= config.bin %> keeper set-aux behavior --provider anthropic --model claude-haiku-4-5',
    '$ <%= config.bin %> keeper set-aux behavior --credential ""',
  ]
  static override next = { invalid_field: 'muster keeper aux' }
  static override args = {
    slot: Args.string({ required: true, options: [...evaluatorSlots], description: 'what is judged' }),
  }
  static override flags = {
    provider: Flags.string({ description: 'who judges' }),
    model: Flags.string({ description: 'model that judges' }),
    timeout: Flags.integer({
      min: 0,
      max: 600_000,
      helpValue: 'MS',
      description: 'milliseconds for a verdict; 0 for the default',
    }),
    credential: Flags.string({ description: "key to use, by name or id; by default the server's own" }),
  }

  async run(): Promise<void> {
    const { slot } = this.args
    const { provider, model, timeout, credential } = this.flags
    const credential_id = credential ? await credentialId(this.api, credential) : credential
    const body = given({ provider, model, timeout_ms: timeout, credential_id })
    if (!Object.keys(body).length) throw new InputError('Say what is to be set.', 'muster keeper set-aux --help')
    const reply = await this.api.keeper.setAux({ slot, body })
    await this.out.done(`Set who judges ${slot}.`, reply, evaluatorsView)
  }
}
