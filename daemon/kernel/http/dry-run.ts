import stringifier, { type Schema } from 'fast-json-stringify'
import type { FastifyReply } from 'fastify'
import { type Endpoint, statusOf } from '#contract/define'
import { type DryRun, dryRunParameter, noDryRun, unchangedHeader } from '#contract/dry-run'
import type { App } from '../app.ts'
import { membership } from '../auth/membership.ts'
import type { Operation, Tried } from '../dispatch.ts'
import type { Actor } from '../feature.ts'
import type { Recorded } from '../journal/journal.ts'
import { problem } from '../problem.ts'

/** Whether a change is only to be tried. Refuses where there is no dry run; reads take no such parameter. */
export function dryRunAsked(endpoint: Endpoint, query: unknown): boolean {
  if (endpoint.method === 'GET') return false
  const given = (query as Record<string, unknown>)[dryRunParameter]
  if (given === undefined || given === 'false') return false
  if (given !== 'true')
    throw problem('invalid_field', { field: dryRunParameter, detail: `${dryRunParameter} must be true or false` })
  const reason = noDryRun(endpoint)
  if (reason) throw problem('dry_run_unsupported', { detail: `There is no dry run of this, because ${reason}` })
  return true
}

/** Whether a change answers with what the same request made before. */
export const isRepeated = ({ repeatable }: Endpoint, reply: FastifyReply): boolean =>
  repeatable === true && reply.hasHeader(unchangedHeader)

interface Asked {
  actor: Actor
  reply: FastifyReply
}

/** Answers what a change would have done. No cookie is given out: what it stands for was never stored. */
export function sendDryRun(app: App, { name, endpoint }: Operation, tried: Tried, { actor, reply }: Asked): void {
  const answer: DryRun = {
    dry_run: true,
    status: isRepeated(endpoint, reply) ? 200 : statusOf(endpoint, tried.answer),
    body: tried.known && endpoint.status !== 204 ? shown(name, endpoint, tried.answer) : null,
    entries: entriesFor(app, actor, tried.entries),
  }
  reply.removeHeader('set-cookie').code(200).type('application/json').send(JSON.stringify(answer))
}

const writers = new Map<string, (value: unknown) => string>()

/** The answer as its schema lets it out, without what is a secret. */
function shown(name: string, { reply, secrets = [] }: Endpoint, answer: unknown): unknown {
  if (!reply) return null
  const write = writers.get(name) ?? stringifier(reply as Schema)
  writers.set(name, write)
  const body = JSON.parse(write(answer ?? null)) as unknown
  for (const member of secrets) delete (body as Record<string, unknown>)[member]
  return body
}

/** The entries of the caller's own doing or workspaces, each once although several journals would hold it. */
function entriesFor({ db }: App, actor: Actor, recorded: readonly Recorded[]): DryRun['entries'] {
  const isMember = (workspace: string) => workspace === actor.workspace || membership(db, workspace, actor.id)
  const all = recorded
    .map(({ entry }) => entry)
    .filter(({ workspace_id, actor_id }) => actor_id === actor.id || isMember(workspace_id))
    .map(({ entry_type, severity, summary, payload = {} }) => ({ entry_type, severity, summary, payload }))
  const texts = all.map((it) => JSON.stringify(it))
  return all.filter((_, at) => texts.indexOf(texts[at]!) === at)
}
