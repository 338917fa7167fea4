import { ApiCommand } from '../command.ts'
import { changeContexts } from '../contexts/change.ts'

export default class Logout extends ApiCommand<typeof Logout> {
  static override summary = 'Forget the stored token of a server'
  static override description = 'Only this machine forgets it. `muster tokens revoke` ends a token everywhere.'
  static override examples = ['$ <%= config.bin %> logout', '$ <%= config.bin %> logout --context work']

  async run(): Promise<void> {
    const { context, target, tokenOrigin } = this.session
    let had = false
    await changeContexts(({ contexts }) => {
      const stored = context === undefined ? undefined : contexts[context]
      had = Boolean(stored?.token)
      delete stored?.token
      delete stored?.user
    })
    if (tokenOrigin === 'environment') this.out.note('SVC_TOKEN is still set and still used.', 'yellow')
    await this.out.done(had ? `Signed out of ${target.key}. The token stays valid there until it is revoked.` : `No token is stored for ${target.key}.`)
  }
}
