import { Args, Flags } from '@oclif/core'
import type { Scope } from '#contract/roles'
import { ApiCommand } from '../../command.ts'
import { durationMs, oneOf } from '../../flags.ts'
import { handOver, outputFileFlag } from '../../tokens/made.ts'

export default class TokensCreate extends ApiCommand<typeof TokensCreate> {
  static override summary = 'Make a token for a device or a program'
  static override description =
    'The token is written to standard output, this once; it cannot be shown again. Scopes narrow what it may change.'
  static override examples = [
    '$ <%= config.bin %> tokens create laptop',
    '$ <%= config.bin %> tokens create ci --output-file token.txt',
    '$ <%= config.bin %> tokens create ci --expires 30d --scope crews:write --scope agents:write > token.txt',
  ]
  static override args = { name: Args.string({ description: 'what the token is for' }) }
  static override flags = {
    tier: oneOf(['STANDARD', 'ADMIN'], { description: 'ADMIN tokens are short-lived and every use is recorded' }),
    expires: Flags.string({ helpValue: 'DURATION', description: 'lifetime, as 90d or 12h' }),
    scope: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'SCOPE',
      description: 'what it may change, as crews:write; repeat for more',
    }),
    ...outputFileFlag,
  }

  async run(): Promise<void> {
    const { tier, expires, scope } = this.flags
    const lifetime = durationMs(expires, '--expires')
    const body = {
      ...(this.args.name !== undefined && { name: this.args.name }),
      ...(tier && { tier }),
      ...(lifetime !== undefined && { expires_in_seconds: Math.round(lifetime / 1000) }),
      ...(scope && { scopes: scope as Scope[] }),
    }
    await handOver(this.out, this.flags['output-file'], () => this.api.tokens.create({ body }))
  }
}
