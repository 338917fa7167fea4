import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { type Connections, couple } from './connections.ts'
import { answerLine, socketOf } from './relay-sockets.ts'

/** Listens for each provider. What connects is told in one line whether the upstream is connected, or why not. */
export function serveRelay(
  connections: Pick<Connections, 'open'>,
  folder: string,
  providers: string[],
): Promise<Server[]> {
  return Promise.all(
    providers.map(async (provider, place) => {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        socket.on('error', () => {})
        connections.open(place).then(
          (upstream) => {
            if (socket.destroyed) return void upstream.destroy()
            socket.write(answerLine(null))
            couple(upstream, socket)
          },
          (error: Error) => void socket.end(answerLine(error)),
        )
      })
      await once(server.listen(socketOf(folder, provider)), 'listening')
      return server
    }),
  )
}
