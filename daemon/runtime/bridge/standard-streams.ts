import { Socket } from 'node:net'
import { type Connections, createConnections, type Pipe } from './connections.ts'

/** The daemon says every 20 s that it is there. */
const silenceMs = 90_000

/** Carries connections over this program's standard streams. It ends when nobody speaks with it any more. */
export function overStandardStreams(pipe: Pick<Pipe, 'connect' | 'window'> = {}): Connections {
  // Written to as a socket and not as process.stdout, which would stop everything whenever the pipe is full.
  const output = new Socket({ fd: 1, readable: false, writable: true })
  const input = new Socket({ fd: 0, readable: true, writable: false })
  const leave = () => process.exit(0)
  const silence = setTimeout(leave, silenceMs)
  const connections = createConnections({
    write: (bytes, done) => void output.write(bytes, () => done()),
    broken: () => process.exit(1),
    ...pipe,
  })
  input.on('data', (chunk) => {
    silence.refresh()
    connections.receive(chunk)
  })
  for (const stream of [input, output]) for (const event of ['end', 'close', 'error']) stream.on(event, leave)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, leave)
  return connections
}
