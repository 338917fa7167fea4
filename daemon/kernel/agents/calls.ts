import { defaultRate } from '#contract/agent-calls'
import type { AgentCall } from '#contract/define'
import type { App } from '../app.ts'
import type { Operation } from '../dispatch.ts'
import type { Actor } from '../feature.ts'
import { isObject, type Members } from '../http/json-bounds.ts'
import { problem } from '../problem.ts'
import { noteRefusal } from './refusals.ts'
import { type Asker, checkBounds, withoutSecrets } from './texts.ts'

/**
 * Receives the body of every agent call, on any transport: counts it, checks its bounds and removes secrets, before the
 * schema is checked, so that what was checked is what is stored. Bodies of other operations pass unchanged.
 */
export function receive(
  app: App,
  { name, endpoint: { agent, body: schema } }: Operation,
  actor: Actor | null,
  body: unknown,
): unknown {
  if (!agent || !actor) return body
  const asker = askerOf(actor, isObject(body) ? body : {})
  take(app, name, agent, asker)
  checkBounds(body)
  if (!isObject(body)) return body
  const known = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {})
  const given = Object.fromEntries(
    known.filter((member) => Object.hasOwn(body, member)).map((member) => [member, body[member]]),
  )
  return withoutSecrets(app, agent, asker, given)
}

/** Ids are truncated: they are unchecked so far and become keys of buckets. */
function askerOf({ bound }: Actor, body: Members): Asker {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 64) : '')
  return {
    workspace_id: bound?.workspace ?? text(body['workspace_id']),
    crew_id: bound?.crew ?? text(body['crew_id']),
    agent_id: bound?.agent ?? text(body['agent_id']),
  }
}

function take(app: App, name: string, { rate = defaultRate }: AgentCall, asker: Asker): void {
  const wait = app.limits.takeCall(
    name,
    { agent: `${asker.workspace_id}/${asker.agent_id || asker.crew_id}`, crew: asker.crew_id },
    rate,
  )
  if (wait === 0) return
  noteRefusal(app, name, asker)
  const most = `An agent may do this ${rate.agent} times a minute, its crew ${rate.crew} times`
  const detail = `${most}. Try again in ${wait} s`
  throw problem('rate_limited', { detail, headers: { 'retry-after': String(wait) }, extra: { retry_after: wait } })
}
