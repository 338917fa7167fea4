import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests of one connection that may be under way. Browsers and proxies wait for an answer before they send the next
 * one.
 */
const most = 16

/**
 * Cuts a connection whose client sends on without waiting for answers: Node hands over all requests of a packet, more
 * than a thousand of
 * them, in one turn, and everybody else waits until they are dealt with. The listeners that it wraps share a count.
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
