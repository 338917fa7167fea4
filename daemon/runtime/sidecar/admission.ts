import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Vendor } from '../../providers/vendor.ts'
import type { ModelCredential, SidecarAgent } from '../types.ts'
import { bodyLimit } from './body.ts'
import type { Compiled } from './config.ts'
import { bodyLength, faultOf } from './framing.ts'
import { markRefusal } from './refusal-mark.ts'
import { listOf, readTarget } from './target.ts'
import type { Route } from './vendors.ts'

/** The refusal of a model call, sent in the vendor's format. */
export interface Refusal {
  status: number
  message: string
}

/** An admitted call: the agent, its credentials and the destination. */
export interface Admitted {
  agent: SidecarAgent
  credentials: ModelCredential[]
  vendor: Vendor
  /** Path and query, rebuilt from the vendor's table of calls. */
  path: string
  /** Base URL that the operator set instead of the vendor's. */
  upstream: URL | undefined
}

export const tooLarge: Refusal = {
  status: 413,
  message: `The request body is larger than ${bodyLimit / 1024 / 1024} MB, the most that a model call may carry.`,
}

/** Admits or refuses a model call. */
export function admit(
  request: IncomingMessage,
  { vendor, path: asked }: Route,
  config: Compiled | null,
  uid: number | null,
): Admitted | Refusal {
  const agent = whoCalls(request, config, uid)
  if ('status' in agent) return agent
  const fault = faultOf(request)
  if (fault) return { status: 400, message: `The request is not passed on: ${fault}.` }
  const target = readTarget(request.method!, asked, vendor.calls)
  if ('refused' in target) return notPassed(target.refused, vendor)
  if ((bodyLength(request) ?? 0) > bodyLimit) return tooLarge
  const credentials = agent.credentials.filter((it) => it.provider === vendor.provider)
  if (credentials.length)
    return { agent, credentials, vendor, path: target.path, upstream: config!.upstreams.get(vendor.provider) }
  const next = 'Next: store one with `muster credentials create` and assign it to the agent.'
  const message = `There is no ${vendor.provider} credential for the agent ${agent.slug}. ${next}`
  return { status: 401, message }
}

function notPassed(why: 'odd' | 'path' | 'method', { provider, calls }: Vendor): Refusal {
  if (why === 'odd') return { status: 400, message: 'The path holds parts that are not passed on.' }
  return {
    status: why === 'path' ? 404 : 405,
    message: `This is not passed on. What goes to ${provider}: ${listOf(calls)}.`,
  }
}

/** The agent whose key the client presents, which must come from the agent's own uid. */
export function whoCalls(
  request: IncomingMessage,
  config: Compiled | null,
  uid: number | null,
): SidecarAgent | Refusal {
  if (!config)
    return {
      status: 503,
      message: 'This crew is still being set up: its sidecar has no configuration yet. Try again in a moment.',
    }
  const agent = presented(request).flatMap((key) => config.agentByKey.get(key) ?? [])[0]
  if (!agent)
    return {
      status: 401,
      message: 'The sidecar does not know this key. Use the one in the environment that the agent was started with.',
    }
  if (agent.uid !== undefined && agent.uid !== uid)
    return { status: 401, message: 'This key belongs to another agent of the crew.' }
  return agent
}

/** All keys of a request, from the places where the vendors' clients put them. */
function presented({ headers, url }: IncomingMessage): string[] {
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const query = new URLSearchParams(url?.split('?')[1]).get('key')
  return [headers['x-api-key'], token, headers['x-goog-api-key'], query].flat().filter((it) => typeof it === 'string')
}

/** Answers with a refusal in the vendor's format. Permanent ones tell the client not to retry. */
export function fail(response: ServerResponse, vendor: Vendor, { status, message }: Refusal): void {
  if (response.headersSent) return void response.destroy()
  const body = JSON.stringify(vendor.failure(status, markRefusal(message)))
  const retry = status < 500 ? { 'x-should-retry': 'false' } : {}
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-muster': 'sidecar',
      ...retry,
    })
    .end(body)
}
