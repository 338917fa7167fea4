import type { credentialScopes } from '#contract/credential-scopes'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { type Destination, isWithin, textOf } from '#kernel/outbound/destinations'
import { plainLine } from '#kernel/plain-line'
import { problem } from '#kernel/problem'
import { isOpen, open, settle } from '../../decisions/service.ts'
import { secondApproverRequired } from '../../workspaces/service.ts'
import { tierOf } from '../levels/service.ts'
import { queries as credentialQueries } from '../queries.ts'
import { queries } from '../scopes/queries.ts'
import { countUse, credentialIn, scopesOf } from '../scopes/service.ts'
import { scopeQuestion } from './kind.ts'

/** How long what people allowed once, and what they denied, counts. */
const decidedMs = 3_600_000
/** Questions of one asker about one credential that people have yet to decide. */
const openAtMost = 20

/** Who wants to use a credential, and for what. */
export interface Wish {
  workspace: string
  credential: string
  to: Destination
  /** The agent, or the routine by its name. */
  agent: string | null
  asker: { id: string; name: string }
  crew: string | null
  run: string | null
}

/** Whether it may be used; why not; and which question people have to decide first, where they have to. */
export type Permission = { allowed: true } | { allowed: false; detail: string; question: string | null }

/**
 * Decides a use of a credential within a change: what is within its scopes is counted and goes on, all else goes on
 * when people allowed it, and becomes a question when they have not been asked.
 */
export function wish(app: App, it: Wish, uses = 1): Permission {
  const permission = permit(app, it)
  if (permission.allowed && uses) countUse(app, it, it.to, uses)
  return permission
}

function permit(app: App, it: Wish): Permission {
  const rules = scopesOf(app, it.credential)
  if (rules === null || isWithin(rules, it.to)) return { allowed: true }
  const now = app.now()
  const wanted = { credential: it.credential, actor: it.asker.id, ...it.to }
  const since = wholeSeconds(app.clock() - decidedMs)
  if (queries(app.db).useOnce.get({ ...wanted, since, now })) return { allowed: true }
  const stored = credentialQueries(app.db).find.get(it.workspace, it.credential)
  const what = `The credential ${stored?.name ?? it.credential} may not be used for ${textOf(it.to)}`
  const denied = queries(app.db).denied.get({ ...wanted, since })
  if (denied) return { allowed: false, detail: `${what}: denied at ${denied.decided_at}`, question: null }
  const question = askAboutUse(app, it, now)
  return question
    ? {
        allowed: false,
        detail: `${what} until people allow it; they are asked (${question}). Ask again then`,
        question,
      }
    : { allowed: false, detail: `${what}, and people have yet to decide ${openAtMost} such questions`, question: null }
}

/** The question that is open about a use, or a new one; null where too many are open. */
export function askAboutUse(app: App, it: Wish, now = app.now()): string | null {
  const name = credentialQueries(app.db).named.get(it.credential)!.name
  const wanted = { credential: it.credential, actor: it.asker.id, ...it.to }
  const { open: openOne, openBy, ask: store } = queries(app.db)
  const known = openOne.get(wanted)
  if (known && isOpen(app, known.id, now)) return known.id
  if (openBy.get(it.credential, it.asker.id)!.n >= openAtMost) return null
  const id = newId(app.clock())
  if (!store.get({ ...wanted, id, workspace: it.workspace, agent: it.agent, now })) return openOne.get(wanted)!.id
  const payload = { credential_id: it.credential, credential_name: name, question_id: id, ...it.to }
  const where = { ...(it.crew && { crew_id: it.crew }), ...(it.agent && { agent_id: it.agent }) }
  open(app, scopeQuestion, {
    id,
    workspace: it.workspace,
    asked: `Whether ${it.asker.name} may use ${name} for ${textOf(it.to)}`,
    crew: it.crew,
    agent: it.agent,
    run: it.agent ? it.run : null,
    card: {
      title: plainLine(`${it.asker.name}: ${name} for ${it.to.method} ${it.to.host}`),
      body: [
        `${it.asker.name} wants to use the credential ${name} outside of its scopes.`,
        `\`${textOf(it.to).replaceAll('`', '')}\``,
        `Its scopes: \`muster credentials scopes\`. Nothing was sent.`,
      ].join('\n\n'),
      sender: it.agent ? { type: 'agent', id: it.agent, name: it.asker.name } : { type: 'system', name: it.asker.name },
      payload: () => ({ kind: 'credential_use', ...payload, ...where, ...(it.run && { run_id: it.run }) }),
    },
    now,
  })
  app.journal(
    fact('credential.use_asked', payload, {
      workspace_id: it.workspace,
      ...where,
      ...(it.run && { trace_id: it.run }),
      ...(it.agent
        ? { actor_type: 'agent', actor_id: it.agent }
        : { actor_type: 'orchestrator', actor_id: it.asker.id }),
    }),
  )
  return id
}

/** Decides a use outside of a credential's scopes; the first one wins. */
export function decideUse(
  app: App,
  { actor, credentialId, questionId, body, now }: Call<typeof credentialScopes.decideUse>,
): Reply<typeof credentialScopes.decideUse> | ReturnType<typeof problem> {
  const credential = credentialIn(app, actor.workspace, credentialId)
  const question = queries(app.db).question.get(questionId)
  if (question?.credential_id !== credential.id)
    throw problem('not_found', { field: 'questionId', detail: 'There is no such question' })
  // Returned, not thrown: an expiry must be committed.
  if (!isOpen(app, question.id, now)) return settledBefore(app, question.id)
  const two = secondApproverRequired(app, actor.workspace) || tierOf(credential.security_level).secondApprover
  const maker = question.agent_id === null ? null : queries(app.db).initiator.get(question.agent_id)?.user
  if (body.decision !== 'deny' && two && question.agent_id !== null && (!maker || maker === actor.id))
    throw problem('second_approver_required', { detail: 'Who made this agent does not decide alone about it' })
  const comment = blankToNull(body.reason)
  settle(app, question.id, { state: 'decided', outcome: body.decision, actor, now, comment })
  return { id: question.id, decision: body.decision, decided_at: now }
}

/** Withdraws what is asked about a deleted credential. */
export function withdrawQuestions(app: App, { payload }: Pick<Happened<'credential.deleted'>, 'payload'>): void {
  for (const { id } of queries(app.db).openOf.all(payload.entity_id))
    settle(app, id, {
      state: 'withdrawn',
      actor: null,
      now: app.now(),
      comment: 'The credential is gone',
      orphaned: true,
    })
}

function settledBefore(app: App, id: string) {
  const { outcome, decided_at } = queries(app.db).question.get(id)!
  return problem('use_settled', { detail: `${outcome} at ${decided_at}`, extra: { settled: { outcome, decided_at } } })
}
