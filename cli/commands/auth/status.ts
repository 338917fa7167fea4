import { ProblemError } from '#client'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { type AuthStatus, authMembers, authView } from '../../views/auth.ts'

type Found = Pick<AuthStatus, 'state' | 'user' | 'kind' | 'tier' | 'scopes' | 'expires_at'>

const nobody: Found = { state: 'signed out', user: null, kind: null, tier: null, scopes: null, expires_at: null }

export default class AuthStatusCommand extends ApiCommand<typeof AuthStatusCommand> {
  static override summary = 'Show which server is used, as whom, and how far the token reaches'
  static override description =
    'Tells where the server and the token came from: a flag, the environment, or a stored context. Exits with 4 when ' +
    'nobody is signed in, or the token is no longer good.'
  static override result = { members: authMembers }
  static override examples = [
    '$ <%= config.bin %> auth status',
    '$ <%= config.bin %> auth status --json=state,expires_at',
    "$ <%= config.bin %> auth status --jq '.scopes[]'",
  ]

  async run(): Promise<void> {
    const { target, serverOrigin, context, token, tokenOrigin } = this.session
    const found = token ? await this.ask() : nobody
    const status: AuthStatus = {
      server: target.key,
      server_from: serverOrigin,
      context: context ?? null,
      token_from: tokenOrigin ?? null,
      ...found,
    }
    await this.out.show(status, authView)
    if (status.state === 'signed in') return
    this.finish(exits.identity)
    this.out.note(`Next: ${tokenOrigin === 'environment' ? 'set SVC_TOKEN to another token' : 'muster login'}`, 'dim')
  }

  private async ask(): Promise<Found> {
    try {
      const { id, user_email, expires_at, tier, scopes } = await this.api.tokens.validate()
      return {
        state: 'signed in',
        user: user_email,
        kind: id ? 'token' : 'session',
        tier: tier ?? null,
        scopes: scopes ?? null,
        expires_at: expires_at ?? null,
      }
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error
      const { code, expired_at: expired } = error.problem as typeof error.problem & { expired_at?: string }
      const over = expired !== undefined || code === 'session_expired'
      return { ...nobody, state: over ? 'expired' : 'not accepted', expires_at: expired ?? null }
    }
  }
}
