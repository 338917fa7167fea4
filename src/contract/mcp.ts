import { Type } from 'typebox'
import { post } from './define.ts'

/** Bytes of what a tool answers an assistant. */
export const assistantBytes = 64 * 1024
/** Seconds that an assistant may have Muster wait for a run at once. */
export const assistantWait = 50

/** Muster as an MCP server, for people's own assistants. docs/mcp.md. */
export const mcp = {
  call: post('/mcp', {
    summary: 'Speak the Model Context Protocol: what an assistant asks in the name of its person',
    access: 'signed-in',
    root: true,
    kind: 'text',
    status: 200,
    query: Type.Object({
      workspace_id: Type.Optional(
        Type.String({ maxLength: 64, description: 'As X-Workspace-ID; the only one unless stated' }),
      ),
    }),
    body: Type.Unsafe<unknown>({ description: 'A message of JSON-RPC' }),
    journal: false,
    noDryRun: 'what it asks for is known to its tools alone',
    throws: ['workspace_required', 'not_a_member', 'two_factor_required'],
  }),
}
