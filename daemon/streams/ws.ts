import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { App, Broadcast } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import { createAdmission, type Refusal } from './ws/admission.ts'
import { Connection, closeCodes, closingMs } from './ws/connection.ts'
import { Terminal } from './ws/terminal.ts'

const options = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 64 * 1024,
  // Each fragment costs as much as a message.
  maxFragments: 64,
  maxBufferedChunks: 1024,
  // One frame per turn of the event loop, so that thousands in one packet do not delay other clients.
  allowSynchronousEvents: false,
  // Pings are counted before they are answered, by `Inbox`.
  autoPong: false,
  closeTimeout: closingMs,
} as const
const checkMs = 30_000
const progressMs = 5_000

/** Entry types that are too frequent for the journal's channel. docs/rules/journal.md, "Queries". */
const tooFrequent = new Set([
  'llm.cache_hit',
  'exec.output_chunk',
  'container.metrics',
  'container.snapshot',
  'run.agent_span',
  'eval.metric',
  'memory.searched',
  'pipeline.step.container_ready',
  'pipeline.runs_swept',
  'memory.versions_swept',
])

export interface Sockets {
  /** Lets a listening server upgrade connections to `/ws` and `/ws/terminal`. */
  attach(server: Server): void
  close(): void
}

/** Serves WebSockets. docs/rules/streams.md, "WebSocket". */
export function createSockets(app: App): Sockets {
  const server = new WebSocketServer(options)
  const admission = createAdmission(app)
  const connections = new Set<Connection>()
  const terminals = new Set<Terminal>()
  const rooms = new Map<string, Set<Connection>>()
  const subscriptions = {
    join: (channel: string, connection: Connection) =>
      void rooms.set(channel, (rooms.get(channel) ?? new Set()).add(connection)),
    leave(channel: string, connection: Connection) {
      const room = rooms.get(channel)
      if (room?.delete(connection) && room.size === 0) rooms.delete(channel)
    },
  }

  const onBroadcast = ({ channel, type, payload }: Broadcast) => {
    const room = rooms.get(channel)
    if (!room) return
    const frame = Buffer.from(JSON.stringify({ type, channel, payload }))
    for (const connection of room) connection.send(frame)
  }
  const onEntry = ({ entry, doc }: Recorded) => {
    const channel = `journal:${entry.workspace_id}`
    const room = rooms.get(channel)
    if (!room || tooFrequent.has(entry.entry_type)) return
    const frame = Buffer.from(`{"type":"journal.entry","channel":${JSON.stringify(channel)},"payload":${doc}}`)
    for (const connection of room) connection.send(frame)
  }
  const onRevoked = (credential: string) => {
    for (const connection of connections) if (connection.credential === credential) connection.signOut()
  }
  const onAccessLost = () => {
    for (const connection of connections) connection.checkAccess()
  }
  const closeAll = () => {
    for (const connection of connections) connection.close(closeCodes.goingAway, 'the server stops')
    for (const terminal of terminals) terminal.close()
  }
  const each = (work: (connection: Connection) => void) => () => {
    for (const connection of connections) work(connection)
  }
  const clocks = [
    setInterval(
      each((it) => it.check()),
      checkMs,
    ),
    setInterval(
      each((it) => it.checkProgress()),
      progressMs,
    ),
  ]
  app.bus.on('broadcast', onBroadcast)
  app.bus.on('entry', onEntry)
  app.bus.on('revoked', onRevoked)
  app.bus.on('access_lost', onAccessLost)
  app.stopping.signal.addEventListener('abort', closeAll)

  const attached: Server[] = []

  function show(terminal: Terminal, socket: WebSocket): void {
    terminals.add(terminal)
    app.metrics.openStreams.inc({ kind: 'terminal' })
    socket.on('close', () => {
      terminals.delete(terminal)
      app.metrics.openStreams.dec({ kind: 'terminal' })
    })
  }

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    stream.on('error', () => stream.destroy())
    const refused = refusal(app, request)
    if (refused) return void turnAway(stream, refused)
    const remoteAddress = app.originRules.clientIp(request.socket.remoteAddress, request.headers)
    const entry = admission.admit(request.socket.remoteAddress ? remoteAddress : null)
    if ('status' in entry) return void turnAway(stream, entry)
    stream.on('close', entry.leave)
    server.handleUpgrade(request, stream, head, (socket) => {
      if (pathOf(request) === terminalPath) return show(new Terminal(app, socket, entry.signedIn), socket)
      const peer = { stream, remoteAddress, userAgent: request.headers['user-agent'] ?? null, signedIn: entry.signedIn }
      const connection = new Connection(app, socket, subscriptions, peer)
      connections.add(connection)
      app.metrics.openStreams.inc({ kind: 'ws' })
      socket.on('close', () => {
        connections.delete(connection)
        app.metrics.openStreams.dec({ kind: 'ws' })
      })
    })
  }

  return {
    attach(http) {
      attached.push(http)
      http.on('upgrade', upgrade)
    },
    close() {
      for (const http of attached) http.off('upgrade', upgrade)
      closeAll()
      for (const clock of clocks) clearInterval(clock)
      app.bus.off('broadcast', onBroadcast)
      app.bus.off('entry', onEntry)
      app.bus.off('revoked', onRevoked)
      app.bus.off('access_lost', onAccessLost)
      app.stopping.signal.removeEventListener('abort', closeAll)
    },
  }
}

const terminalPath = '/ws/terminal'
const paths = new Set(['/ws', terminalPath])
const pathOf = ({ url }: Pick<IncomingMessage, 'url'>) => url?.split('?', 1)[0] ?? ''

/** Why a connection is not upgraded; null when it is. */
function refusal(app: App, { url, headers, socket }: IncomingMessage): Refusal | null {
  if (app.exposed && url?.startsWith('/exposed/')) return { status: 426, headers: { upgrade: 'HTTP/1.1' } }
  if (!paths.has(pathOf({ url }))) return { status: 404 }
  if (app.stopping.signal.aborted) return { status: 503 }
  // A client of the local socket has no address and needs no Host header.
  if (socket.remoteAddress && !app.originRules.acceptsHost(headers.host)) return { status: 403 }
  return app.originRules.acceptsSocketOrigin(headers) ? null : { status: 403 }
}

/** Answers with a refusal and closes the connection without waiting for the client. */
function turnAway(stream: Duplex, { status, headers = {} }: Refusal): void {
  const lines = Object.entries({ connection: 'close', 'content-length': '0', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  stream.once('finish', () => stream.destroy())
  stream.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
}
