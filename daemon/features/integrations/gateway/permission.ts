import { keeperAgentWaits } from '#contract/keeper-requests'
import type { App } from '#kernel/app'
import { destinationOf } from '#kernel/outbound/destinations'
import { untilWritten } from '#kernel/store/until-written'
import { wokenBy } from '#kernel/waiting'
import { wish } from '../../credentials/questions/service.ts'
import { Unusable } from '../sessions/service.ts'
import type { Caller } from './service.ts'

/**
 * Lets a credential be sent to a server for an agent, as far as its scopes or people allow it; a call that can wait for
 * people does so. Throws `Unusable`, and nothing was sent then.
 */
export async function permitUse(
  app: App,
  { agent, runId, waits, signal }: Caller,
  credential: string,
  endpoint: string,
): Promise<void> {
  const asked = {
    workspace: agent.workspace_id,
    credential,
    to: destinationOf('POST', new URL(endpoint)),
    agent: agent.id,
    asker: { id: agent.id, name: agent.name },
    crew: agent.crew_id,
    run: runId,
  }
  const ask = () => untilWritten(app, () => wish(app, asked))
  const first = await ask()
  if (first.allowed) return
  if (waits && first.question) {
    await wokenBy(app, first.question, app.clock() + keeperAgentWaits * 1000, signal)
    const then = signal.aborted ? first : await ask()
    if (then.allowed) return
    throw new Unusable(then.detail, { refusal: true })
  }
  throw new Unusable(first.detail, { refusal: true })
}
