import type { IncomingMessage } from 'node:http'
import type { ModelCredential, SidecarAgent } from '../types.ts'
import { bodyLimit } from './body.ts'
import type { Compiled } from './config.ts'
import type { Vendor } from './vendors.ts'

/** What a model call is refused with; the vendor words it. */
export interface Refusal {
  status: number
  message: string
}

/** Headers of the client that never reach a vendor: every place where a credential could stand, and what could turn a method into another. */
export const clientSecrets = ['x-api-key', 'authorization', 'x-goog-api-key', 'cookie', 'host', 'x-http-method-override', 'x-http-method', 'x-method-override']
const secretParameters = new Set(['key', 'api_key', 'access_token', 'oauth_token'])

/** Not TRACE: its answer repeats the request's headers, the real key among them. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** `.` or `..` as a part of a path, however written: a vendor could read it as a path that no mount leads to. */
const dots = /(^|\/|%2f)(\.|%2e){1,2}(\/|%2f|$)|\\|%5c|%00/i

export const tooLarge: Refusal = {
  status: 413,
  message: `The request body is larger than ${bodyLimit / 1024 / 1024} MB, the most that a model call may carry.`,
}

/** The credentials that this request may be made with, or why it may not be made. */
export function admit(request: IncomingMessage, path: string, vendor: Vendor, config: Compiled | null, uid: number | null): ModelCredential[] | Refusal {
  const agent = whoCalls(request, config, uid)
  if ('status' in agent) return agent
  if (!methods.has(request.method!)) return { status: 405, message: `${request.method} is not passed on.` }
  if (dots.test(path.split('?')[0]!)) return { status: 400, message: 'The path holds parts that are not passed on.' }
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return tooLarge
  const credentials = agent.credentials.filter((it) => it.provider === vendor.provider)
  if (credentials.length) return credentials
  const next = 'Next: store one with "muster credentials create" and assign it to the agent.'
  return { status: 401, message: `Muster holds no ${vendor.provider} credential for the agent ${agent.slug}. ${next}` }
}

/** The agent whose key the client shows, from the agent's own uid; or why it is none. */
export function whoCalls(request: IncomingMessage, config: Compiled | null, uid: number | null): SidecarAgent | Refusal {
  if (!config) return { status: 503, message: 'This crew is still being set up: its sidecar has no configuration yet. Try again in a moment.' }
  const agent = presented(request).flatMap((key) => config.agentByKey.get(key) ?? [])[0]
  if (!agent) return { status: 401, message: 'Muster does not know this key. Use the one that the agent was started with: it stands in its environment.' }
  if (agent.uid !== undefined && agent.uid !== uid) return { status: 401, message: 'This key belongs to another agent of the crew.' }
  return agent
}

/** Every key that the client shows, in the places where the vendors' clients put it. */
function presented({ headers, url }: IncomingMessage): string[] {
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const query = new URLSearchParams(url?.split('?')[1]).get('key')
  return [headers['x-api-key'], token, headers['x-goog-api-key'], query].flat().filter((it) => typeof it === 'string')
}

/** Takes out of a path's query what would count as a credential. */
export function withoutSecrets(path: string): string {
  const at = path.indexOf('?')
  if (at < 0) return path
  const parts = path.slice(at + 1).split('&')
  const kept = parts.filter((it) => [...new URLSearchParams(it).keys()].every((name) => !secretParameters.has(name.toLowerCase())))
  return kept.length ? `${path.slice(0, at)}?${kept.join('&')}` : path.slice(0, at)
}
