import { fact } from '#contract/entries'
import type { App } from '../app.ts'
import { type Cache, createCache } from '../cache.ts'
import type { Asker } from './texts.ts'

const everyMs = 60_000
const remembered = 10_000
const last = new WeakMap<App, Cache<{ at: number; refused: number }>>()

/** Records that an agent calls too often: once a minute, with the number of calls refused since. */
export function noteRefusal(app: App, call: string, { workspace_id, crew_id, agent_id }: Asker): void {
  if (!workspace_id || !agent_id) return
  const noted = last.get(app) ?? createCache<{ at: number; refused: number }>(remembered)
  last.set(app, noted)
  const before = noted.get(agent_id)
  const now = app.clock()
  if (before && Math.abs(now - before.at) < everyMs) {
    before.refused++
    return
  }
  noted.set(agent_id, { at: now, refused: 0 })
  const refused = 1 + (before?.refused ?? 0)
  const about = {
    workspace_id,
    ...(crew_id && { crew_id }),
    agent_id,
    actor_type: 'agent',
    actor_id: agent_id,
  } as const
  app
    .write(() => app.journal(fact('agent.throttled', { operation: call, refused }, about)))
    .catch((error: Error) => app.log.error({ err: error, agent: agent_id }, 'A refused call could not be recorded'))
}
