import type { App } from '#kernel/app'
import { secretSettings } from '#kernel/settings'
import { agentById } from '../../features/agents/service.ts'
import { knownSecrets } from '../../features/credentials/delivery/service.ts'
import { literalSecrets, mergeMcp } from '../adapters/mcp.ts'
import { createScrubber } from '../adapters/scrub.ts'
import { agentKey } from '../agent-keys.ts'

/**
 * Values that must not show up in what an agent says: its own key, the workspace's secrets, those in its tool servers' settings,
 * and the daemon's own.
 */
export function secretsOf(app: App, { agent_id, workspace_id }: { agent_id: string; workspace_id: string }): string[] {
  const agent = agentById(app, agent_id)
  const config = agent?.mcp_config_json
  return [
    agentKey(app, agent_id),
    ...knownSecrets(app, workspace_id),
    ...(config ? literalSecrets(mergeMcp([config])) : []),
    ...app.internalTokens.about({ workspace: workspace_id, crew: agent?.crew_id ?? null, agent: agent_id }),
    ...secretSettings.map((name) => app.config[name]),
  ]
}

/** What an agent calls a secret is one, however short; less than this is found in every text. */
const shortestOffered = 4

/** Lets the kernel take secrets out of what agents send. */
export function scrubCalls(app: App): void {
  const inBothForms = (secrets: readonly string[]) => [...secrets, ...secrets.map((secret) => secret.normalize('NFC'))]
  app.scrub = (who, offered) => {
    const known = createScrubber(inBothForms(secretsOf(app, who)))
    const own = createScrubber(inBothForms(offered), shortestOffered)
    return (value) => own.clean(known.clean(value))
  }
}
