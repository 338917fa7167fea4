import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ending } from './endings.ts'

/** A person's assistant, by the protocol's own library. */
export async function assistant(transport: unknown): Promise<Client> {
  const client = new Client({ name: 'assistant', version: '1' })
  await client.connect(transport as Transport)
  ending(() => client.close())
  return client
}

/** An assistant over HTTP, with a token. */
export const assistantAt = (base: string, token: string, workspace?: string): Promise<Client> => {
  const url = new URL(`/mcp${workspace === undefined ? '' : `?workspace_id=${workspace}`}`, base)
  return assistant(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
}

/** What a tool answers: its text, and what stands between the fences. */
export async function used(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args })
  const { text } = (content as { text: string }[])[0]!
  const fenced = /^(muster-data-[0-9a-f]{16})\n([\s\S]*)\n\1$/m.exec(text)
  return { text, isError, data: fenced?.[2] ?? '' }
}
