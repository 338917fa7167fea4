import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { limiterView } from '../../views/limits.ts'

export default class LimitsSet extends ApiCommand<typeof LimitsSet> {
  static override summary = 'Set a server limit, effective at once'
  static override description = 'The value survives restarts until it is reset.'
  static override hiddenAliases = ['admin:ratelimits:set']
  static override examples = [
    '$ <%= config.bin %> limits set http.api_per_min 6000',
    '$ <%= config.bin %> limits set login.lockout_threshold 5',
  ]
  static override next = { not_found: 'muster limits list' }
  static override args = {
    key: Args.string({ required: true, description: 'name of the limit, such as http.api_per_min' }),
    value: Args.string({ required: true, description: 'the new value, a whole number' }),
  }

  async run(): Promise<void> {
    const { key } = this.args
    if (!/^\d+$/.test(this.args.value))
      throw new InputError(`VALUE must be a whole number, not "${this.args.value}".`, 'muster limits set --help')
    const value = Number(this.args.value)
    const limiter = await this.api.limits.set({ key, body: { value } })
    await this.out.done(`${limiter.key} is ${limiter.value} ${limiter.unit} now.`, limiter, limiterView)
  }
}
