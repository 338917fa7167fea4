import type { App } from '#kernel/app'
import { agentById } from '../../features/agents/service.ts'
import { knownSecrets } from '../../features/credentials/delivery/service.ts'
import { literalSecrets, mergeMcp } from '../adapters/mcp.ts'
import { agentKey } from '../agent-keys.ts'

/** Values that must not show up in what an agent says: its own key, the workspace's secrets, those in its tool servers' settings. */
export function secretsOf(app: App, { agent_id, workspace_id }: { agent_id: string; workspace_id: string }): string[] {
  const config = agentById(app, agent_id)?.mcp_config_json
  return [agentKey(app, agent_id), ...knownSecrets(app, workspace_id), ...(config ? literalSecrets(mergeMcp([config])) : [])]
}
