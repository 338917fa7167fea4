import type { Readable, Writable } from 'node:stream'
import type { SidecarAnswer, SidecarCall, SidecarReport } from '../types.ts'
import { lineReader, parseLine } from './lines.ts'
import type { FromSidecar, ToSidecar } from './wire.ts'

/** The sidecar's end of its private channel to the daemon; `SidecarLink` is the other end. */
export interface Control {
  /** Sends a report, and repeats it after each hello until it is acknowledged, since the daemon may be down. */
  report(report: SidecarReport): void
  /** Asks the daemon, again after it restarts, until it answers or the caller gives up. */
  ask: Ask
  /** Announces that the program is ready and accepts configurations. `configure` throws for an invalid one. */
  serve(port: number, input: Readable, configure: (raw: unknown) => void): void
}

export type Ask = (call: SidecarCall) => { answer: Promise<SidecarAnswer>; hangUp(): void }

const keptReports = 256

export function createControl(output: Writable): Control {
  const write = (message: FromSidecar) => void output.write(`${JSON.stringify(message)}\n`)
  const unacked = new Map<number, SidecarReport>()
  const asked = new Map<string, { call: SidecarCall; resolve(answer: SidecarAnswer): void }>()
  let seq = 0
  let configured = false

  function hello(nonce: string): void {
    output.write('\n') // ends a partial line that a crashed program may have left
    write({ type: 'hello', nonce, configured })
    for (const [number, it] of unacked) write({ type: 'report', seq: number, report: it })
    for (const { call } of asked.values()) write({ type: 'call', call })
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
    ask(call) {
      const answer = new Promise<SidecarAnswer>((resolve) => asked.set(call.id, { call, resolve }))
      write({ type: 'call', call })
      const hangUp = () => void (asked.delete(call.id) && write({ type: 'hangup', id: call.id }))
      return { answer, hangUp }
    },
    serve(port, input, configure) {
      const read = lineReader((line) => {
        const message = parseLine(line) as ToSidecar | null
        if (message?.type === 'hello') hello(String(message.nonce))
        else if (message?.type === 'ack') ack(message.seq)
        else if (message?.type === 'answer') {
          asked.get(message.id)?.resolve(message.answer)
          asked.delete(message.id)
        } else if (message?.type === 'config') apply(String(message.id), message.config, configure)
      })
      output.write('\n')
      write({ type: 'ready', port })
      input.on('data', read)
    },
  }
}
