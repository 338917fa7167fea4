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
const mostHosts = 5

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
        const last = said || `it said nothing (exit code ${code})`
        const kept = keptFrom(process)
        failure ??= new Unusable(`The server ${name} ${how}${kept ? `. ${kept}. At last: ` : ': '}${last}`)
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
  const close = (reason?: string) => {
    if (reason) failure ??= new Unusable(`The server ${name} ${reason}`)
    return process.end()
  }
  const client = new Client({ name: 'muster', version })
  const session = { client, close, failure: () => failure }
  try {
    await client.connect(transport, { timeout: timeoutMs })
    open = true
    return session
  } catch (error) {
    const reason = failure ?? late(unusable(error, { host: `The server ${name}` }), process)
    await process.end()
    throw reason
  }
}

/** What the network policy of its crew keeps a server from, as a sentence; empty when that is nothing. */
function keptFrom(process: ServerProcess): string {
  const hosts = process.deniedHosts().slice(0, mostHosts)
  return hosts.length ? `The crew's network policy does not let it reach ${hosts.join(', ')}` : ''
}

function late(error: Unusable, process: ServerProcess): Unusable {
  const kept = keptFrom(process)
  return kept ? new Unusable(`${error.message}. ${kept}`, { cause: error }) : error
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
