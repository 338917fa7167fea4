import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { withKey } from '../../keeper/endpoint.ts'
import { judgeTestView } from '../../views/keeper.ts'

export default class KeeperTest extends ApiCommand<typeof KeeperTest> {
  static override summary = 'Try the judge with one question'
  static override description = 'Nothing is stored. Exits with 1 when there is no verdict.'
  static override examples = [
    '$ <%= config.bin %> keeper test',
    '$ <%= config.bin %> keeper test --endpoint http://localhost:11434 --model qwen3',
  ]
  static override flags = {
    endpoint: Flags.string({ helpValue: 'URL', description: 'another server than that of the judge' }),
    'key-file': Flags.string({
      helpValue: 'FILE',
      description: 'file with the key for that server; - for standard input',
      dependsOn: ['endpoint'],
    }),
    model: Flags.string({ description: 'another model than that of the judge' }),
  }

  async run(): Promise<void> {
    const { endpoint, model } = this.flags
    const judge_endpoint_url = await withKey(endpoint, this.flags['key-file'])
    const reply = await this.api.keeper.test({ body: given({ judge_endpoint_url, judge_model: model }) })
    await this.out.show(reply, judgeTestView)
    if (!reply.ok) process.exitCode = 1
  }
}
