import type { RoutineDefinition, StepOf } from '#contract/routine-definition'
import type { App } from '#kernel/app'
import { destinationOf } from '#kernel/outbound/destinations'
import { isAmong } from '#kernel/outbound/hosts'
import { OutboundError, type OutboundRequest } from '#kernel/outbound/outbound'
import { render, renderValue, type Values } from '#kernel/templates'
import { findCrew, mayReach } from '../../crews/service.ts'
import type { RunRow } from '../engine/queries.ts'
import { citedSecrets, namedFor, permitSecrets, Refused, valuesOf, without } from './secrets.ts'
import { type Beginning, completed, failed, type Outcome } from './types.ts'
import { fromJson } from './values.ts'

type Http = StepOf<'http'>['http']

const runSeconds = 30
const usual = [200, 201, 202, 204]
/** What an answer says of itself that later steps may need. */
const keptHeaders = ['content-type', 'location', 'etag', 'last-modified', 'link', 'retry-after']

/** A request goes out once it stands in the database that it does. */
export const beginHttp = (_: Beginning<StepOf<'http'>>): Outcome => ({ status: 'running', keeps: {} })

interface Sent {
  url: string
  request: OutboundRequest
  secrets: string[]
}

/** A step whose request is to be sent, after the change in which it began. */
type Call = Omit<Beginning<StepOf<'http'>>, 'warn'>

/** Sends the request of a step, with a key by which the other side knows a repetition. Never throws. */
export async function callHttp(it: Call, signal: AbortSignal): Promise<Outcome> {
  const { app, run, step } = it
  const scrub = app.scrub({ workspace_id: run.workspace_id, agent_id: '' }, [])
  let secrets: string[] = []
  try {
    const sent = await prepared(it, signal)
    secrets = sent.secrets
    const reply = await app.outbound.send(sent.url, sent.request)
    const clean = <T>(value: T): T => scrub(without(value, secrets))
    const allowed = step.http.success_codes ?? usual
    const body = clean(bodyOf(reply.text, reply.headers['content-type']))
    if (!allowed.includes(reply.status)) {
      const passing = reply.status === 429 || reply.status >= 500
      const error = `${new URL(sent.url).host} answered ${reply.status}: ${inShort(body)}`
      return failed(error, passing ? undefined : true)
    }
    const headers = Object.fromEntries(
      keptHeaders.flatMap((name) => (reply.headers[name] ? [[name, String(reply.headers[name])]] : [])),
    )
    return completed({ status: reply.status, headers: clean(headers), body })
  } catch (error) {
    if (error instanceof Refused) return failed(error.message, true)
    if (!(error instanceof OutboundError)) throw error
    const words = without(error.message, secrets)
    return failed(words, error.reason === 'refused' || error.reason === 'too_large' ? true : undefined)
  }
}

const inShort = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 500)

async function prepared(it: Call, signal: AbortSignal): Promise<Sent> {
  const { app, run, definition, step, key, values } = it
  const named = await app.write(() => namedFor(it, citedSecrets(step.http, step.http.credential_ref?.type)))
  const secrets = valuesOf(named)
  const all: Values = { ...values, secrets: Object.fromEntries(secrets) }
  const url = new URL(urlOf(step.http, all))
  checkHost(app, run, definition, url)
  const method = step.http.method
  // A secret in an address is no part of what people are asked.
  await permitSecrets(it, named, without(destinationOf(method, url), [...secrets.values()]))
  const headers = headersOf(step.http, all)
  const { credential_ref: ref } = step.http
  if (ref) {
    const value = secrets.get(ref.type)!
    if (ref.inject_as === 'bearer') headers['authorization'] = `Bearer ${value}`
    else if (ref.inject_as === 'header') headers[ref.header_name!.toLowerCase()] = value
    else url.searchParams.set(ref.query_name!, value)
  }
  const body = bodyText(step.http, all, headers)
  if (method !== 'GET' && method !== 'HEAD') headers['idempotency-key'] ??= `${run.id}.${key}`
  return {
    url: url.href,
    secrets: [...secrets.values()],
    request: {
      method,
      headers,
      ...(body !== null && { body }),
      timeoutMs: (step.timeout_seconds ?? runSeconds) * 1000,
      maxBytes: step.http.max_response_bytes ?? 1_048_576,
      signal,
    },
  }
}

function urlOf({ url }: Http, values: Values): string {
  const text = render(url, values)
  if (URL.canParse(text)) return text
  throw new Refused('The address of the request is no URL')
}

function headersOf({ headers = {} }: Http, values: Values): Record<string, string> {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), render(value, values)] as const)
  const wrong = all.find(([name, value]) => !/^[a-z0-9-]+$/.test(name) || /[\r\n\0]/.test(value))
  if (wrong) throw new Refused(`The header "${wrong[0]}" cannot be sent`)
  const ours = all.find(([name]) => ['host', 'content-length', 'transfer-encoding', 'connection'].includes(name))
  if (ours) throw new Refused(`The header "${ours[0]}" is not for a step to set`)
  return Object.fromEntries(all)
}

function bodyText({ body }: Http, values: Values, headers: Record<string, string>): string | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'string') return render(body, values)
  headers['content-type'] ??= 'application/json'
  return JSON.stringify(renderValue(body, values))
}

/** A host must be among those of the definition, and one that the crew's network policy allows. */
function checkHost(app: App, run: RunRow, { egress_targets }: RoutineDefinition, { hostname }: URL): void {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (egress_targets?.length && !isAmong(host, egress_targets))
    throw new Refused(`${host} is none of the egress_targets of the routine`)
  if (run.crew_id && !mayReach(findCrew(app, run.workspace_id, run.crew_id), host))
    throw new Refused(`The network policy of the crew does not allow ${host}: add it with muster crews update --allow`)
}

function bodyOf(text: string, type: string | string[] | undefined): unknown {
  return /\bjson\b/i.test(String(type ?? '')) ? fromJson(text) : text
}
