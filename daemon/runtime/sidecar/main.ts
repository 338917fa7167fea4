import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress } from '../../kernel/outbound/addresses.ts'
import { createControl } from './control.ts'
import { startSidecar } from './server.ts'

// The program of a sidecar's container. Its standard streams are its private channel; it writes no files and no log.

const refused = 78 // tells the entry script not to restart it

function refuse(why: string): never {
  process.stderr.write(`sidecar: ${why}\n`)
  process.exit(refused)
}

/** The sidecar holds all keys of its crew, so it must have no other privileges. */
function checkOwnPowers(): void {
  const status = readFileSync('/proc/self/status', 'utf8')
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1]
  if (process.getuid?.() === 0) refuse('it must not run as root')
  if (!['CapPrm', 'CapEff', 'CapInh', 'CapAmb'].every((it) => /^0+$/.test(field(it) ?? '0')))
    refuse('it must not hold capabilities')
  if (field('NoNewPrivs') !== '1') refuse('it must run with no-new-privileges')
}

/** Runs as another user before the sidecar starts; exits 0 only if no interface lets its packets out. */
async function proveClosed(): Promise<never> {
  const outer = Object.values(networkInterfaces()).flatMap(
    (list) => list?.filter((it) => !it.internal && !it.address.startsWith('fe80:')) ?? [],
  )
  const leaks = await Promise.all(outer.map((it) => leaves(neighbour(it.address), it.family === 'IPv6')))
  process.exit(leaks.includes(true) ? 1 : 0)
}

const neighbour = (address: string) =>
  canonicalAddress(address)!.replace(/[^.:]+$/, (last) => (last === '1' ? '2' : '1'))

function leaves(address: string, six: boolean): Promise<boolean> {
  const socket = createSocket(six ? 'udp6' : 'udp4')
  return new Promise((resolve) => {
    socket.on('error', () => resolve(false))
    socket.send('', 9, address, (error) => resolve(error === null))
  })
}

async function run(): Promise<void> {
  checkOwnPowers()
  process.on('SIGUSR1', () => {}) // would open Node's debugger on the crew's loopback
  process.on('SIGTERM', () => process.exit(0))
  // One failed request must not end the others. Only the kind of error is reported: messages could contain secrets.
  process.on('uncaughtException', (error: NodeJS.ErrnoException) =>
    process.stderr.write(`sidecar: ${error.code ?? error.name}\n`),
  )

  // process.stdout would block on a stalled reader.
  const output = new Socket({ fd: 1, readable: false, writable: true })
  output.on('error', () => {})
  const control = createControl(output)
  const sidecar = await startSidecar({ port: 9119, isolated: true, report: control.report, ask: control.ask }).catch(
    (error: NodeJS.ErrnoException) => refuse(`port 9119 cannot be opened (${error.code})`),
  )
  control.serve(sidecar.port, process.stdin, sidecar.configure)
}

if (process.argv.includes('--prove-closed')) void proveClosed()
else void run()
