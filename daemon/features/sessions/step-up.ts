import type { sessions } from '#contract/sessions'
import { type App, wholeSeconds } from '#kernel/app'
import { factorValidMs } from '#kernel/auth/sessions'
import type { Call } from '#kernel/feature'
import { type Problem, problem } from '#kernel/problem'
import { demand } from '../totp/service.ts'
import { accountById } from '../users/lockout/service.ts'
import { showFactor } from './service.ts'

/** Confirms the second factor in a browser session, for operations that ask for it again. */
export function confirm(
  app: App,
  { actor, body, now }: Call<typeof sessions.confirm>,
): { ok: boolean; until: string } | Problem {
  if (!actor.session)
    return problem('session_required', {
      detail: 'Only a browser session can confirm a second factor; tokens do not need it',
    })
  const account = accountById(app, actor.id)
  if (!account?.two_factor_at) return problem('second_factor_missing', { detail: 'This account has no second factor' })
  const refused = demand(app, account, { fits: null, code: body.code }, now)
  if (refused) return refused
  showFactor(app, { user: actor.id, session: actor.session.id, now })
  return { ok: true, until: wholeSeconds(app.clock() + factorValidMs) }
}
