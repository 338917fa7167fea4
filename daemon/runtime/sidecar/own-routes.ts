// Where sidecars ask the daemon something of their own. No agent can name these routes.

/** Calls a method of an agent's MCP server. */
export const gatewayRoute = '/mcp-tool-calls'
/** Whether a call of a tool may be made. */
export const heldRoute = '/tool-calls'
/** Whether a credential may be used outside of its scopes. */
export const useRoute = '/credential-use'
