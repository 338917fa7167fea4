import type { Readable, Writable } from 'node:stream'
import type { SidecarReport } from '../types.ts'
import { lineReader, parseLine } from './lines.ts'
import type { FromSidecar, ToSidecar } from './wire.ts'

/** The sidecar's end of its private channel to the daemon; `SidecarLink` is the other. */
export interface Control {
  /** Sends a report, and again at the next hello until it is acknowledged: no daemon may be listening now. */
  report(report: SidecarReport): void
  /** Says that the program is up, and takes configurations from now on. `configure` throws what is wrong with one. */
  serve(port: number, input: Readable, configure: (raw: unknown) => void): void
}

const keptReports = 256

export function createControl(output: Writable): Control {
  const write = (message: FromSidecar) => void output.write(`${JSON.stringify(message)}\n`)
  const unacked = new Map<number, SidecarReport>()
  let seq = 0
  let configured = false

  function hello(nonce: string): void {
    output.write('\n') // ends what a program that crashed may have left
    write({ type: 'hello', nonce, configured })
    for (const [number, it] of unacked) write({ type: 'report', seq: number, report: it })
  }

  function ack(upTo: number): void {
    for (const number of unacked.keys()) if (number <= upTo) unacked.delete(number)
  }

  function apply(id: string, raw: unknown, configure: (raw: unknown) => void): void {
    try {
      configure(raw)
      configured = true
      write({ type: 'configured', id })
    } catch (error) {
      write({ type: 'rejected', id, reason: (error as Error).message })
    }
  }

  return {
    report(it) {
      unacked.set(++seq, it)
      if (unacked.size > keptReports) unacked.delete(unacked.keys().next().value!)
      write({ type: 'report', seq, report: it })
    },
    serve(port, input, configure) {
      const read = lineReader((line) => {
        const message = parseLine(line) as ToSidecar | null
        if (message?.type === 'hello') hello(String(message.nonce))
        else if (message?.type === 'ack') ack(message.seq)
        else if (message?.type === 'config') apply(String(message.id), message.config, configure)
      })
      output.write('\n')
      write({ type: 'ready', port })
      input.on('data', read)
    },
  }
}
