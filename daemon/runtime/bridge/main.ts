/**
 * The program that carries connections into a crew: the daemon says to which port over standard input, and this
 * connects to it on the crew's own loopback, as nobody. It ends when nobody speaks with it any more.
 */
import { Socket } from 'node:net'
import { createConnections } from './connections.ts'
import { connectHere } from './here.ts'

/** The daemon says every 20 s that it is there. */
const silenceMs = 90_000

// Written to as a socket and not as process.stdout, which would stop everything whenever the pipe is full.
const output = new Socket({ fd: 1, readable: false, writable: true })
const input = new Socket({ fd: 0, readable: true, writable: false })
const leave = () => process.exit(0)
const silence = setTimeout(leave, silenceMs)
const connections = createConnections({
  write: (bytes, done) => void output.write(bytes, () => done()),
  broken: () => process.exit(1),
  connect: connectHere,
})
input.on('data', (chunk) => {
  silence.refresh()
  connections.receive(chunk)
})
for (const stream of [input, output]) for (const event of ['end', 'close', 'error']) stream.on(event, leave)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, leave)
connections.alive()
