import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limiterView } from '../../views/limits.ts'

export default class LimitsReset extends ApiCommand<typeof LimitsReset> {
  static override summary = 'Reset a server limit to its configured value'
  static override hiddenAliases = ['admin:ratelimits:reset']
  static override examples = ['$ <%= config.bin %> limits reset http.api_per_min']
  static override next = { not_found: 'muster limits list' }
  static override args = {
    key: Args.string({ required: true, description: 'name of the limit, such as http.api_per_min' }),
  }

  async run(): Promise<void> {
    const limiter = await this.api.limits.reset({ key: this.args.key })
    await this.out.done(`${limiter.key} is ${limiter.value} ${limiter.unit} again.`, limiter, limiterView)
  }
}
