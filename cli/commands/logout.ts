import { Flags } from '@oclif/core'
import { createClient, ProblemError } from '#client'
import { Tried } from '../changing.ts'
import { ApiCommand } from '../command.ts'
import { changeContexts } from '../contexts/change.ts'
import { readContexts } from '../contexts/file.ts'
import { configFile } from '../paths.ts'

export default class Logout extends ApiCommand<typeof Logout> {
  static override summary = 'Revoke the stored token of a server and forget it'
  static override description =
    'With --local it is only removed from this machine; `muster tokens revoke` revokes a token on the server.'
  static override result = {}
  static override examples = [
    '$ <%= config.bin %> logout',
    '$ <%= config.bin %> logout --context work',
    '$ <%= config.bin %> logout --local',
  ]
  static override flags = { local: Flags.boolean({ description: 'only forget the token on this machine' }) }

  async run(): Promise<void> {
    const { context, target, tokenOrigin } = this.session
    const stored = context === undefined ? undefined : (await readContexts(configFile())).contexts[context]?.token
    const ended =
      stored !== undefined &&
      !this.flags.local &&
      (await this.attempt(this.progress('Revoking the token', this.revoke(stored))))
    await changeContexts(({ contexts }) => {
      const now = context === undefined ? undefined : contexts[context]
      // Another command may have signed in meanwhile: its token stays.
      if (now?.token !== stored) return
      delete now?.token
      delete now?.user
    }, this.trying)
    if (tokenOrigin === 'environment') this.out.note('SVC_TOKEN is still set and still used.', 'yellow')
    const rest = ended ? 'The token was revoked.' : 'The token stays valid there until it is revoked.'
    await this.out.done(
      stored === undefined ? `No token is stored for ${target.key}.` : `Signed out of ${target.key}. ${rest}`,
    )
  }

  /** True when the token is no longer valid. An unreachable server must not prevent signing out here. */
  private async revoke(token: string): Promise<boolean> {
    const api = createClient(this.connect({ ...this.session, token }))
    try {
      const { id } = await api.tokens.validate()
      if (id === undefined) throw new Error('the server does not tell which token this is')
      await api.tokens.revoke({ tokenId: id })
      return true
    } catch (error) {
      if (error instanceof Tried) throw error
      if (error instanceof ProblemError && error.problem.status === 401) return true
      this.out.note(`The token could not be revoked: ${(error as Error).message}`, 'yellow')
      return false
    }
  }
}
