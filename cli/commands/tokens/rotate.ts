import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { changeContexts } from '../../contexts/change.ts'
import { given, yesFlag } from '../../flags.ts'
import { handOver, outputFileFlag } from '../../tokens/made.ts'

export default class TokensRotate extends ApiCommand<typeof TokensRotate> {
  static override summary = 'Replace one of your tokens with a new one of equal scope and lifetime'
  static override description =
    'The old token and its open connections end at once. Writes the new one to standard output; it is shown only ' +
    'once. If the token is stored on this machine, it is replaced there too.'
  static override examples = [
    '$ <%= config.bin %> tokens rotate TOKEN --yes > token.txt',
    '$ <%= config.bin %> tokens rotate TOKEN --yes --output-file /etc/ci/muster-token',
  ]
  static override next = { not_found: 'muster tokens list', token_ended: 'muster tokens create NAME' }
  static override args = { token: Args.string({ required: true, description: 'name or id of the token' }) }
  static override flags = {
    name: Flags.string({ description: 'new name (default: the old one)' }),
    ...outputFileFlag,
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { token: tokenId } = this.args
    const { name, 'output-file': file } = this.flags
    await this.confirm(`Replace token ${this.called('token')}? The old one ends at once.`)
    const own = await this.isOwn(tokenId)
    await handOver(this.out, file, async () => {
      const made = await this.api.tokens.rotate({ tokenId, body: given({ name }) })
      if (own) await this.store(made.token)
      return made
    })
    if (own) this.out.note(`The context ${this.session.context} uses the new token from now on.`)
  }

  /** Whether it is the very token that is stored here: replacing it must not sign anybody out. */
  private async isOwn(tokenId: string): Promise<boolean> {
    return this.session.tokenOrigin === 'context' && (await this.api.tokens.validate()).id === tokenId
  }

  private async store(token: string): Promise<void> {
    const { context } = this.session
    await changeContexts(({ contexts }) => {
      const stored = context === undefined ? undefined : contexts[context]
      if (stored) stored.token = token
    })
  }
}
