import type { App } from '#kernel/app'
import { secretSettings } from '#kernel/settings'
import { agentInBrief } from '../../features/agents/service.ts'
import { knownSecrets } from '../../features/credentials/delivery/service.ts'
import { decoysOf } from '../../features/tripwires/service.ts'
import { literalSecrets, mergeMcp } from '../adapters/mcp.ts'
import { createScrubber } from '../adapters/scrub.ts'
import { shortestOffered } from '../adapters/secret-search.ts'
import { agentKey } from '../agent-keys.ts'
import { keptWhile } from '../kept-while.ts'

interface Who {
  agent_id: string
  workspace_id: string
}

/**
 * Values that must not show up in what an agent says: its own key, the workspace's secrets, those in its tool servers'
 * settings.
 */
export function secretsOf(
  app: App,
  { agent_id, workspace_id }: Who,
  agent = agentInBrief(app, agent_id) ?? null,
): string[] {
  const { mcp_config_json: config = null, crew_id: crew = null } = agent ?? {}
  return [
    agentKey(app, agent_id),
    ...knownSecrets(app, workspace_id),
    ...(crew === null ? [] : decoysOf(app, crew).map(({ value }) => value)),
    ...(config ? literalSecrets(mergeMcp([config])) : []),
  ]
}

/**
 * The daemon's own, which no agent is given. Live output is not searched for them: what could be the beginning of a
 * random token is every letter, and each would be held back until the next one comes.
 */
function secretsOfDaemon(app: App, { agent_id, workspace_id }: Who, crew: string | null): string[] {
  return [
    ...app.internalTokens.about({ workspace: workspace_id, crew, agent: agent_id }),
    ...secretSettings.map((name) => app.config[name]),
  ]
}

/** Lets the kernel take secrets out of what agents send. */
export function scrubCalls(app: App): void {
  const inBothForms = (secrets: readonly string[]) => [...secrets, ...secrets.map((secret) => secret.normalize('NFC'))]
  const kept = keptWhile((secrets: readonly string[]) => createScrubber(inBothForms(secrets)))
  app.scrub = (who, offered) => {
    const agent = agentInBrief(app, who.agent_id)
    const known = kept(`${who.workspace_id} ${who.agent_id}`, [
      ...secretsOf(app, who, agent ?? null),
      ...secretsOfDaemon(app, who, agent?.crew_id ?? null),
    ])
    if (!offered.length) return (value) => known.clean(value)
    const own = createScrubber(inBothForms(offered), shortestOffered)
    return (value) => own.clean(known.clean(value))
  }
}
