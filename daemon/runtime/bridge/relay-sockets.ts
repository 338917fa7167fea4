import { connect, type Socket } from 'node:net'
import { join } from 'node:path'

/** In the sidecar's container, which no agent sees. */
export const relayFolder = '/run/relay'

/** Less than elsewhere: a sidecar has little memory, and all agents of its crew call models. */
export const relayWindow = 128 * 1024

const longestLine = 500
const patienceMs = 15_000

export const socketOf = (folder: string, provider: string): string => join(folder, `${provider}.sock`)

/** What the relay says first on each connection. */
export const answerLine = (failure: Error | null): string =>
  failure ? `${failure.message.replaceAll('\n', ' ').slice(0, longestLine - 1)}\n` : '\n'

/** A connection to the upstream of a provider; rejects with the daemon's reason. */
export function askRelay(folder: string, provider: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketOf(folder, provider))
    const failed = (why: string) => {
      clearTimeout(late)
      socket.destroy()
      reject(new Error(why))
    }
    const closed = () => failed('the daemon does not relay to it now')
    const late = setTimeout(() => failed('the daemon did not answer in time'), patienceMs)
    let said = ''
    const read = () => {
      for (let byte = socket.read(1); byte !== null; byte = socket.read(1)) {
        if (byte[0] !== 0x0a && said.length < longestLine) said += byte.toString('latin1')
        else if (said) return failed(said)
        else {
          clearTimeout(late)
          socket.off('readable', read).off('error', closed).off('end', closed).off('close', closed)
          return resolve(socket)
        }
      }
    }
    socket.on('readable', read).on('error', closed).on('end', closed).on('close', closed)
  })
}
