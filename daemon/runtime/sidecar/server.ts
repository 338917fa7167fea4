import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { relayFolder } from '../bridge/relay-sockets.ts'
import type { SidecarReport } from '../types.ts'
import { agentRoutes, createAgentCalls } from './agent-calls.ts'
import { type Compiled, compileConfig } from './config.ts'
import type { Ask } from './control.ts'
import { createTurns } from './credentials.ts'
import { createDecoyWatch, notLetOut } from './decoys.ts'
import { createDenials } from './denials.ts'
import { createDial } from './dial.ts'
import { createEgress } from './egress.ts'
import { refuseMalformed } from './malformed.ts'
import { createModelCalls } from './model-calls.ts'
import { uidOf } from './peers.ts'
import { createNames } from './resolve.ts'
import { say } from './say.ts'
import { createSlots } from './slots.ts'
import { vendors } from './vendors.ts'
import { createWildcardNames } from './wildcard-names.ts'

export interface SidecarOptions {
  /** 0 picks a free one. */
  port: number
  /** Whether agents have their own container and uids. If not, the operator's upstreams may be on loopback. */
  isolated: boolean
  report(report: SidecarReport): void
  ask: Ask
  now?: () => number
  hostsFile?: string
  /** The folder of the relay's sockets. */
  relay?: string
}

export interface Sidecar {
  readonly port: number
  /** Replaces the configuration, or throws for an invalid one and keeps the old. */
  configure(raw: unknown): void
  close(): Promise<void>
}

const headerLimit = 32 * 1024
/** Node checks for late connections every `connectionsCheckingInterval`, which adds to the timeout of the headers. */
const timeouts = {
  headersTimeout: 20_000,
  connectionsCheckingInterval: 1000,
  requestTimeout: 600_000,
  keepAliveTimeout: 75_000,
}
const connectionSlots = { total: 2048, each: 512 }
const callSlots = { total: 256, each: 64 }
const agentCallSlots = { total: 128, each: 16 }
const tunnelSlots = { total: 512, each: 192 }

/** Starts the sidecar on loopback. It refuses all calls until it has a configuration. */
export async function startSidecar({
  port,
  isolated,
  report,
  ask,
  now = () => performance.now(),
  hostsFile,
  relay = relayFolder,
}: SidecarOptions): Promise<Sidecar> {
  let current: Compiled | null = null
  const config = () => current
  const names = createNames(hostsFile)
  const dial = createDial(names.resolve, { judgeOwn: isolated })
  const decoys = createDecoyWatch({ config, report })
  const calls = createModelCalls({
    decoys,
    config,
    turns: createTurns(now),
    dial,
    slots: createSlots(callSlots.total, callSlots.each),
    report,
    ask,
    loopbackUpstreams: !isolated,
    relay,
  })
  const egress = createEgress({
    config,
    dial,
    slots: createSlots(tunnelSlots.total, tunnelSlots.each),
    checkName: createWildcardNames(now),
    denied: createDenials(report, now),
    decoys,
  })

  const agentCalls = createAgentCalls({ config, ask, slots: createSlots(agentCallSlots.total, agentCallSlots.each) })
  const connections = createSlots(connectionSlots.total, connectionSlots.each)
  const open = new Map<Socket, number | null>()

  /** Closes connections whose owner is no longer an agent of the crew. */
  function cut({ uids, ownerOf }: Compiled): void {
    if (uids) for (const [socket, uid] of open) if (!ownerOf(uid)) socket.destroy()
  }

  function answer(request: IncomingMessage, response: ServerResponse, uid: number | null): void {
    const { url = '', method } = request
    if (decoys.inHead(request, uid)) return void say(response, 403, { error: notLetOut })
    if (!url.startsWith('/')) return void egress.forward(request, response, uid)
    if (calls.answer(request, response, uid) || agentCalls.answer(request, response, uid)) return
    const path = url.split('?')[0]
    if (path === '/health' || path === '/') say(response, 200, { ok: true, configured: current !== null })
    else
      say(response, 404, {
        error: `The sidecar has nothing at ${method} ${path}. It serves ${[
          ...vendors.map(({ mount }) => mount),
          ...agentRoutes,
        ].join(', ')}, /mcp and /health, and is the crew's HTTP proxy.`,
      })
  }

  /** The uid of a connection's owner; closes the connection when the owner has too many. */
  async function claim(socket: Socket): Promise<number | null> {
    const uid = await uidOf(socket)
    if (socket.destroyed) return uid
    open.set(socket, uid)
    socket.once('close', () => open.delete(socket))
    const release = connections.take(uid)
    if (release) socket.once('close', release)
    else socket.destroy()
    return uid
  }

  function listen(host: string, at: number): Promise<Server> {
    const server = createServer({
      insecureHTTPParser: false,
      requireHostHeader: true,
      maxHeaderSize: headerLimit,
      ...timeouts,
    })
    server.maxConnections = connectionSlots.total
    const owners = new WeakMap<object, Promise<number | null>>()
    server.on('connection', (socket: Socket) => owners.set(socket, claim(socket)))
    server.on('request', async (request, response) => {
      const uid = await owners.get(request.socket)!
      await turnOf(response)
      if (!response.destroyed) answer(request, response, uid)
    })
    server.on(
      'connect',
      (request, socket, head) => void owners.get(socket)!.then((uid) => egress.tunnel(request, socket, head, uid)),
    )
    server.on('clientError', refuseMalformed)
    return new Promise((resolve, reject) =>
      server.once('error', reject).listen(at, host, () => resolve(server.off('error', reject))),
    )
  }

  const first = await listen('127.0.0.1', port)
  const bound = (first.address() as AddressInfo).port
  const servers = [first, ...(await listen('::1', bound).then((it) => [it], withoutIpv6))]
  return {
    port: bound,
    configure(raw) {
      const next = compileConfig(raw, { uids: isolated })
      names.use(next.resolvers)
      current = next
      calls.revise()
      cut(next)
    },
    async close() {
      await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed).closeAllConnections())))
    },
  }
}

/**
 * Resolves when all earlier requests of the same connection are answered. A pipelined call would otherwise begin too
 * early, and not learn that the client has disconnected.
 */
const turnOf = (response: ServerResponse): Promise<unknown> =>
  response.socket ? Promise.resolve() : new Promise((resolve) => response.once('socket', resolve))

/** Goes on where the machine has no IPv6. */
export function withoutIpv6(error: NodeJS.ErrnoException): [] {
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') return []
  throw error
}
