import type { SessionInit } from './adapter.ts'
import type { Reading } from './parser.ts'

type Told = Partial<Pick<SessionInit, 'api_key_source' | 'permission_mode' | 'cwd'>>

/** Records that a client's session has begun: its name and model, and what else the client told of its start. */
export function begin(
  { facts, frame }: Reading,
  { session, model, mcpServers, ...told }: { session: string; model: string; mcpServers: readonly string[] } & Told,
): void {
  facts.session_id = session
  facts.init = {
    model,
    cli_version: '',
    api_key_source: '',
    permission_mode: '',
    cwd: '',
    tool_count: 0,
    skill_count: 0,
    mcp_server_count: mcpServers.length,
    mcp_server_errors: [],
    ...told,
  }
  frame({ type: 'system', metadata: { subtype: 'init', ...(model && { model }), session_id: session } })
}
