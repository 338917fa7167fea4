import { Args, Flags } from '@oclif/core'
import { scopes, tiers } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { durationMs, given, oneOf } from '../../flags.ts'
import { handOver, outputFileFlag } from '../../tokens/made.ts'

export default class TokensCreate extends ApiCommand<typeof TokensCreate> {
  static override summary = 'Create a token for a device or a program'
  static override description =
    'Writes the token to standard output; it is shown only once. Scopes restrict what it may change.'
  static override examples = [
    '$ <%= config.bin %> tokens create laptop',
    '$ <%= config.bin %> tokens create ci --output-file token.txt',
    '$ <%= config.bin %> tokens create ci --expires 30d --scope crews:write --scope agents:write > token.txt',
  ]
  static override args = { name: Args.string({ description: 'purpose of the token' }) }
  static override flags = {
    tier: oneOf(tiers, { description: 'ADMIN tokens are short-lived and every use is recorded' }),
    expires: Flags.string({ helpValue: 'DURATION', description: 'lifetime, such as 90d or 12h' }),
    scope: Flags.custom<(typeof scopes)[number]>({ options: [...scopes] })({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'SCOPE',
      description: 'what it may change, such as crews:write; repeatable',
    }),
    ...outputFileFlag,
  }

  async run(): Promise<void> {
    const { tier, expires, scope } = this.flags
    const lifetime = durationMs(expires, '--expires')
    const expires_in_seconds = lifetime === undefined ? undefined : Math.round(lifetime / 1000)
    await handOver(this.out, this.flags['output-file'], () =>
      this.api.tokens.create({ body: given({ name: this.args.name, tier, expires_in_seconds, scopes: scope }) }),
    )
  }
}
