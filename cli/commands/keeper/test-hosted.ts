import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { credentialId } from '../../lookup.ts'
import { judgeTestView } from '../../views/keeper.ts'

export default class KeeperTestHosted extends ApiCommand<typeof KeeperTestHosted> {
  static override summary = 'Try a model of a provider as a judge'
  static override description = 'Nothing is stored. Exits with 1 when there is no verdict in time.'
  static override examples = [
    '$ <%= config.bin %> keeper test-hosted anthropic claude-haiku-4-5',
    '$ <%= config.bin %> keeper test-hosted openai gpt-5.4-mini --credential OPENAI',
  ]
  static override next = { invalid_field: 'muster keeper aux' }
  static override args = {
    provider: Args.string({ required: true, description: 'name of the provider' }),
    model: Args.string({ required: true, description: 'name of the model' }),
  }
  static override flags = {
    credential: Flags.string({ description: "key to use, by name or id; by default the server's own" }),
  }

  async run(): Promise<void> {
    const { provider, model } = this.args
    const { credential } = this.flags
    const credential_id = credential === undefined ? undefined : await credentialId(this.api, credential)
    const reply = await this.api.keeper.testHosted({
      body: given({ provider, model, credential_id }),
    })
    await this.out.show(reply, judgeTestView)
    if (!reply.ok) process.exitCode = 1
  }
}
