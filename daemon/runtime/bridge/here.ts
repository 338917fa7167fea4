import { connect, type Socket } from 'node:net'

const patienceMs = 10_000

/** A connection to a port on loopback, of whichever family somebody listens on. */
export async function connectHere(port: number): Promise<Socket> {
  try {
    return await connectTo('127.0.0.1', port)
  } catch (error) {
    return await connectTo('::1', port).catch(() => {
      throw error
    })
  }
}

export const connectTo = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
    const late = setTimeout(() => socket.destroy(new Error(`nobody on port ${port} takes the connection`)), patienceMs)
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(new Error(code === 'ECONNREFUSED' ? `nobody listens on port ${port}` : message)),
    )
    socket.once('connect', () => resolve(socket.removeAllListeners('error')))
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(late))
  })
