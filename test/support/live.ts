import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSockets, type Sockets } from '../../daemon/streams/ws.ts'
import { closing, type TestDaemon } from './index.ts'

/** Opens `/ws` on the listening server of a test daemon. */
export function openSockets({ app, http }: Pick<TestDaemon, 'app' | 'http'>): Sockets {
  const sockets = closing(createSockets(app))
  sockets.attach(http.server)
  return sockets
}

/** Resolves once paths that match were asked for so often from now on, and answered. */
export function requested({ http }: Pick<TestDaemon, 'http'>, path: RegExp, times = 1): Promise<void> {
  let left = times
  return new Promise((resolve) => {
    const count = ({ url = '' }: IncomingMessage, reply: ServerResponse) => {
      if (!path.test(url) || --left > 0) return
      http.server.off('request', count)
      reply.once('finish', resolve)
    }
    http.server.on('request', count)
  })
}
