import type { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { plainLine } from '#kernel/plain-line'
import { version } from '#kernel/version'
import type { ServerProcess } from '#runtime/types'
import { type Session, Unusable, unusable } from '../sessions/service.ts'

/** A server that has been started, and what is expected of it. */
export interface Started {
  name: string
  process: ServerProcess
  timeoutMs: number
  /** Of each answer. */
  maxBytes: number
  /** A copy without the values of its variables. */
  clean: (text: string) => string
}

const mostShown = 400

/** Speaks MCP over the standard streams of a program. Throws `Unusable`, and has ended the program then. */
export async function openStreams({ name, process, timeoutMs, maxBytes, clean }: Started): Promise<Session> {
  const [{ Client }, { ReadBuffer, serializeMessage }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/shared/stdio.js'),
  ])
  const { input, output } = process
  const lines = new ReadBuffer({ maxBufferSize: maxBytes })
  let open = false
  let failure: Unusable | null = null
  /** Bytes that it may still say: so many for each message that asks it something. */
  let allowed = maxBytes
  const giveUp = (reason: string) => {
    failure ??= new Unusable(`The server ${name} ${reason}`)
    void process.end()
  }
  const transport: Transport = {
    async start() {
      output.on('data', (chunk: Buffer) => {
        allowed -= chunk.length
        if (failure) return
        if (allowed < 0) return giveUp('says more than it may')
        try {
          lines.append(chunk)
        } catch {
          return giveUp(`answered more than ${maxBytes} bytes`)
        }
        for (const message of messagesIn(lines)) transport.onmessage?.(message)
      })
      void process.ended.then(({ code, stderr }) => {
        const said = plainLine(clean(stderr), Number.POSITIVE_INFINITY).slice(-mostShown)
        const how = open ? 'ended' : 'ended at once'
        failure ??= new Unusable(`The server ${name} ${how}: ${said || `it said nothing (exit code ${code})`}`)
        transport.onclose?.()
      })
    },
    async send(message) {
      if (input.writableLength > maxBytes) throw new Unusable(`The server ${name} does not read what it is sent`)
      if ('method' in message && 'id' in message) allowed = Math.max(allowed, 0) + maxBytes
      input.write(serializeMessage(message))
    },
    close: () => process.end(),
  }
  const client = new Client({ name: 'muster', version })
  const session = { client, close: () => process.end(), failure: () => failure }
  try {
    await client.connect(transport, { timeout: timeoutMs })
    open = true
    return session
  } catch (error) {
    const reason = failure
    await process.end()
    throw reason ?? unusable(error, { host: name })
  }
}

/** The whole messages that have arrived. Lines that are none are left out: some servers print others too. */
function* messagesIn(lines: ReadBuffer): Generator<JSONRPCMessage> {
  for (;;) {
    try {
      const message = lines.readMessage()
      if (message === null) return
      yield message
    } catch {}
  }
}
