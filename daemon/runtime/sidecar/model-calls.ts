import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isWithin } from '../../kernel/outbound/destinations.ts'
import type { ModelCredential, SidecarReport, Unfit } from '../types.ts'
import { admit, fail, type Refusal } from './admission.ts'
import { Call } from './call.ts'
import type { Compiled } from './config.ts'
import type { Ask } from './control.ts'
import { cooldownMs, type Turns } from './credentials.ts'
import type { DecoyWatch } from './decoys.ts'
import type { Dial } from './dial.ts'
import { useRoute } from './own-routes.ts'
import type { Slots } from './slots.ts'
import { unfitness } from './unfitness.ts'
import { createReach } from './upstream.ts'
import { createUses } from './uses.ts'
import { route } from './vendors.ts'

export interface ModelCalls {
  /** Answers a request for a vendor; false when the path belongs to none. */
  answer(request: IncomingMessage, response: ServerResponse, uid: number | null): boolean
  /** Ends calls whose agent, or whose agent's credential, is no longer in the configuration. */
  revise(): void
}

export interface ModelCallParts {
  decoys: DecoyWatch
  config(): Compiled | null
  turns: Turns
  dial: Dial
  slots: Slots
  report(report: SidecarReport): void
  ask: Ask
  /** Whether an operator's upstream may be on loopback. */
  loopbackUpstreams: boolean
  /** The folder of the relay's sockets. */
  relay: string
}

const busy: Refusal = {
  status: 503,
  message: 'Too many model calls of this agent are under way. Try again when one of them has ended.',
}
const revoked: Refusal = {
  status: 403,
  message: 'The agent or its credential was taken away while this call was under way.',
}

export function createModelCalls({
  decoys,
  config,
  turns,
  dial,
  slots,
  report,
  ask,
  loopbackUpstreams,
  relay,
}: ModelCallParts): ModelCalls {
  const reach = createReach(dial, { loopback: loopbackUpstreams, relay })
  const open = new Set<Call>()
  const uses = createUses(report)

  function answer(request: IncomingMessage, response: ServerResponse, uid: number | null): boolean {
    const at = route(request.url ?? '')
    if (!at) return false
    const admitted = admit(request, at, config(), uid)
    const release = 'agent' in admitted ? slots.take(uid) : null
    if (!('agent' in admitted)) fail(response, at.vendor, admitted)
    else if (!release) fail(response, at.vendor, busy)
    else {
      const call = new Call(request, response, admitted, reach, decoys.ofBody(request, uid))
      open.add(call)
      response.on('close', () => {
        release()
        open.delete(call)
        call.end()
      })
      void choose(call, admitted.credentials)
    }
    return true
  }

  /** Sends the call with credentials that may be used for it; where there is none, people are asked about the first. */
  async function choose(call: Call, credentials: ModelCredential[]): Promise<void> {
    const to = call.destination
    const fit = credentials.filter(({ scopes }) => !scopes || isWithin(scopes, to))
    if (fit.length) return attempt(call, turns.order(fit))
    const [first] = turns.order(credentials)
    call.credential = first!
    const body = { credential_id: first!.credentialId, ...to }
    const { answer, hangUp } = ask({ id: randomUUID(), agentId: call.agentId, runId: null, route: useRoute, body })
    call.onEnd = hangUp
    const { status, body: said } = await answer
    call.onEnd = null
    const { allowed, detail, error } = (said ?? {}) as { allowed?: boolean; detail?: string; error?: string }
    if (status === 200 && allowed === true) return attempt(call, [first!])
    call.fail({ status: status === 503 ? 503 : 403, message: detail ?? error ?? 'Muster does not allow this call.' })
  }

  /** Sends the call with the first credential, and with the next if the vendor will not take that one. */
  function attempt(call: Call, [credential, ...others]: ModelCredential[]): void {
    turns.used(credential!)
    const used = () => uses(call.agentId, credential!.credentialId, call.destination)
    void call.send(credential!, used, async (answered) => {
      const { reason, body } = await unfitness(call.vendor, answered)
      if (reason === null || !call.expects(answered)) return call.deliver(answered, body)
      const fresh = turns.limited(credential!)
      note(credential!, reason)
      const [next] = others
      if (!next || !call.repeatable) return call.deliver(answered, body)
      if (fresh) {
        const { agentId } = call
        const ids = { credentialId: credential!.credentialId, nextId: next.credentialId }
        report({ type: 'credential_failover', agentId, ...ids, reason, status: answered.statusCode! })
      }
      attempt(call, others)
    })
  }

  /** A credential that was refused is not one to wait for. */
  function note({ credentialId }: ModelCredential, reason: Unfit): void {
    if (reason !== 'refused') report({ type: 'credential_limited', credentialId, retryAfterSeconds: cooldownMs / 1000 })
  }

  function holds({ agentId, credential }: Call): boolean {
    const agent = [...(config()?.agentByKey.values() ?? [])].find((it) => it.agentId === agentId)
    return agent?.credentials.some((it) => it.credentialId === credential?.credentialId) ?? false
  }

  return {
    answer,
    revise() {
      for (const call of open) if (!holds(call)) call.fail(revoked)
    },
  }
}
