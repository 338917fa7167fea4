import type { Connection } from '#client'
import type { Printer } from '../output/printer.ts'
import { readLog } from './follow.ts'
import { LogLines } from './log-lines.ts'

/** Prints the log of a run as it comes: lines for people, frames for programs. */
export async function printLog(out: Printer, connection: Connection, asked: { method: string; path: string }) {
  const people = ['auto', 'table', 'tsv', 'name'].includes(out.wanted.format) && out.wanted.jq === undefined
  const told = new LogLines(out.paint)
  const onState = (lost?: Error) =>
    out.note(lost ? 'The connection is lost; trying again.' : 'The connection is back.', 'yellow')
  for await (const frame of readLog(connection, asked, onState)) {
    if (frame.type === 'stream.heartbeat') continue
    if (!people) await out.item(frame, '')
    else for (const line of told.take(frame)) await out.item(frame, line)
    if (frame.type === 'stream.end' && frame.reason !== 'run_complete' && frame.reason !== 'not_followed')
      out.note(`The log ended before the run: ${frame.reason}`, 'yellow')
  }
}
