import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Code } from '#contract/problems'
import { problem } from '../problem.ts'

/** What a caller of the internal interface is bound to; null for what it is not bound to. */
export interface Bound {
  workspace: string | null
  crew: string | null
  agent: string | null
}

/** What an agent asked. */
export interface Asked {
  workspace_id: string
  crew_id: string
  from_agent_id: string
}

/** Whether a caller with this bound may know of what was asked. */
export const mayKnow = (bound: Bound | undefined, asked: Asked): boolean =>
  bound !== undefined &&
  (bound.workspace ?? asked.workspace_id) === asked.workspace_id &&
  (bound.crew ?? asked.crew_id) === asked.crew_id &&
  (bound.agent ?? asked.from_agent_id) === asked.from_agent_id

/** Tokens of the internal interface: the master, and those derived from it for one workspace, crew or agent. */
export interface InternalTokens {
  ofWorkspace(workspace: string): string
  ofCrew(workspace: string, crew: string): string
  ofAgent(workspace: string, agent: string): string
  /** What the token is bound to; null when it is invalid. */
  read(token: string): Bound | null
  /** Secrets that a program bound like this could leak: the master, its tokens and their unguessable parts. */
  about(bound: Bound): string[]
}

const kinds = { wsv1: 'workspace', crwv1: 'crew', agtv1: 'agent' } as const
type Kind = keyof typeof kinds

export function createInternalTokens(master: string): InternalTokens {
  const make = (kind: Kind, ...ids: string[]) => {
    const mac = createHmac('sha256', master)
      .update([`muster/internal/${kinds[kind]}`, ...ids].join('\0'))
      .digest('hex')
    return [kind, ...ids, mac].join('.')
  }
  const digest = (text: string) => hash('sha256', text, 'buffer')
  const same = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))

  return {
    ofWorkspace: (workspace) => make('wsv1', workspace),
    ofCrew: (workspace, crew) => make('crwv1', workspace, crew),
    ofAgent: (workspace, agent) => make('agtv1', workspace, agent),
    read(token) {
      if (token.length > 500) return null
      if (same(token, master)) return { workspace: null, crew: null, agent: null }
      const [kind = '', workspace = '', id = '', ...more] = token.split('.')
      if (kind === 'wsv1' && !more.length && same(token, make('wsv1', workspace)))
        return { workspace, crew: null, agent: null }
      if (kind === 'crwv1' && same(token, make('crwv1', workspace, id))) return { workspace, crew: id, agent: null }
      if (kind === 'agtv1' && same(token, make('agtv1', workspace, id))) return { workspace, crew: null, agent: id }
      return null
    },
    about({ workspace, crew, agent }) {
      if (workspace === null) return [master]
      const tokens = [
        make('wsv1', workspace),
        ...(crew === null ? [] : [make('crwv1', workspace, crew)]),
        ...(agent === null ? [] : [make('agtv1', workspace, agent)]),
      ]
      return [master, ...tokens, ...tokens.map((token) => token.slice(token.lastIndexOf('.') + 1))]
    },
  }
}

/** Refuses ids in a query or a body that the token is not bound to; with `foreign` another workspace. */
export function checkBound(bound: Bound, given: object, foreign: Code = 'internal_token_rejected'): void {
  for (const name of ['workspace', 'crew', 'agent'] as const) {
    const named = (given as Record<string, unknown>)[`${name}_id`]
    if (bound[name] !== null && named !== undefined && named !== bound[name])
      throw problem(name === 'workspace' ? foreign : 'internal_token_rejected', { field: `${name}_id` })
  }
}

/** True for a direct caller on this machine. A request that a proxy forwarded came from elsewhere. */
export function isLocalCaller(peer: string | undefined, headers: IncomingHttpHeaders): boolean {
  if (headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? headers.forwarded) return false
  return peer === undefined || /^(::ffff:)?127\./.test(peer) || peer === '::1'
}
