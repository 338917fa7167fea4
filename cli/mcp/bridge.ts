import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type Connection, ProblemError } from '#client'

/** Carries messages between standard streams and the server, until standard input ends. */
export async function bridge(connection: Connection, workspace: string | undefined): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const transport = new StdioServerTransport()
  const open = new Set<Promise<void>>()
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve))
  let revision: string | undefined
  transport.onmessage = (message) => {
    const carried = carry(message).then((reply) => (reply ? transport.send(reply) : undefined))
    open.add(carried)
    carried.finally(() => open.delete(carried))
  }
  const carry = async (message: JSONRPCMessage): Promise<JSONRPCMessage | null> => {
    try {
      const path = workspace === undefined ? '/mcp' : `/mcp?workspace_id=${encodeURIComponent(workspace)}`
      const { body } = await connection.request('POST', path, {
        body: message,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(revision && { 'mcp-protocol-version': revision }),
        },
      })
      if (body.length === 0) return null
      const reply = JSON.parse(String(body)) as JSONRPCMessage
      if ('result' in reply && typeof reply.result['protocolVersion'] === 'string')
        revision = reply.result['protocolVersion']
      return reply
    } catch (error) {
      return 'id' in message && 'method' in message ? failed(message.id, error) : null
    }
  }
  await transport.start()
  await ended
  await Promise.allSettled(open)
  await transport.close()
}

const failed = (id: string | number, error: unknown): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32603,
    message: error instanceof ProblemError ? `${error.message} (${error.problem.code})` : (error as Error).message,
  },
})
