import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** Most requests in flight on one connection. Browsers and proxies send one at a time. */
const most = 16

/**
 * Closes connections with too many requests in flight: Node hands over all requests of a packet, which may be more than
 * a thousand, in one turn of the event loop, and other clients wait meanwhile. All wrapped listeners share one count.
 */
export function limitPipelining(): (handle: RequestListener) => RequestListener {
  const underWay = new WeakMap<Socket, number>()
  return (handle) => (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const count = (underWay.get(socket) ?? 0) + 1
    if (count > most) return void socket.destroy()
    underWay.set(socket, count)
    response.once('close', () => underWay.set(socket, underWay.get(socket)! - 1))
    handle(request, response)
  }
}
