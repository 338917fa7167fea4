import type { Static } from 'typebox'
import type { CredentialProvider, CredentialType, credentials, TestReply } from '#contract/credentials'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { OutboundError } from '#kernel/outbound/outbound'
import { problem } from '#kernel/problem'
import { note } from '../audit/service.ts'
import { type CredentialRow, queries } from '../queries.ts'
import { cleanValue } from '../rules.ts'
import { findCredential, findDecided } from '../service.ts'
import { openValue } from '../values.ts'
import { probeOf } from './rules.ts'

type Outcome = Static<typeof TestReply>

const unsupported: Outcome = { valid: false, status: 'unsupported', error: null, supported: false }
const outcome = (status: Outcome['status'], error: string | null): Outcome => ({
  valid: status === 'valid' || status === 'limited',
  status,
  error,
  supported: true,
})

/** Asks the provider. The sentences are ours: what a provider says may repeat part of the key. */
async function ask(
  app: App,
  actor: Actor,
  subject: { type: CredentialType; provider: CredentialProvider; value: string },
): Promise<Outcome> {
  // Tokens go to the server that they were issued for alone.
  const probe = subject.type === 'OAUTH2' ? null : probeOf(app.config, subject)
  if (!probe) return unsupported
  const wait = app.limits.take('test', actor.id)
  if (wait) throw wait
  try {
    const { status } = await app.outbound.send(probe.url, {
      headers: probe.headers,
      operator: probe.operator,
      timeoutMs: 10_000,
    })
    if (status >= 200 && status < 300) return outcome('valid', null)
    if (probe.refusals.includes(status))
      return outcome('invalid', `${subject.provider} does not accept the value (${status})`)
    if (status === 429) return outcome('limited', `${subject.provider} knows the value and is over its limit (429)`)
    return outcome('unreachable', `${subject.provider} answered ${status}, which says nothing about the value`)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return outcome('unreachable', error.message)
  }
}

/** Tests a value without storing it. */
export function check(
  app: App,
  { actor, body: { type = 'API_KEY', provider, value } }: Call<typeof credentials.check>,
): Promise<Outcome> {
  return ask(app, actor, { type, provider, value: cleanValue(type, value) })
}

interface Tested {
  row: CredentialRow
  outcome: Outcome
  /** Another value was asked about: nothing is learnt of the stored one. */
  other: boolean
}

export async function testStored(
  app: App,
  { actor, credentialId, body }: Call<typeof credentials.test>,
): Promise<Tested> {
  const row = findDecided(app, actor, credentialId)
  const { type, provider } = row
  const other = Boolean(body?.value)
  const value = body?.value ? cleanValue(type, body.value) : openValue(app, row)
  if (value === null)
    throw problem('encryption_unavailable', { detail: 'The stored value cannot be opened with this encryption key' })
  return { row, other, outcome: await ask(app, actor, { type, provider, value }) }
}

/**
 * Records the outcome. A refused value is no longer delivered, until a later test accepts it or a new value replaces
 * it.
 */
export function recordTest(
  app: App,
  { actor, credentialId }: Call<typeof credentials.test>,
  { row, outcome, other }: Tested,
): Outcome {
  const now = findCredential(app, actor, credentialId)
  const { status, error } = outcome
  if (status === 'unsupported' || other) return outcome
  // The credential was rotated during the test, so the answer is about an old value.
  if (now.encrypted_value === row.encrypted_value) {
    if (status === 'valid') queries(app.db).setOutcome.run('ACTIVE', null, credentialId)
    else if (status === 'invalid') queries(app.db).setOutcome.run('ERROR', error, credentialId)
    else queries(app.db).setError.run(error ?? '', credentialId)
  }
  note(app, credentialId, 'TEST', actorOf(actor), { status })
  const payload = { credential_id: credentialId, credential_name: row.name, status }
  const refs = { entity_type: 'credential', entity_id: credentialId }
  app.journal(fact('credential.tested', payload, { workspace_id: actor.workspace, ...actorOf(actor), refs }))
  return outcome
}
