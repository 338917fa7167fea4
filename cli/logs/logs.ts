import type { Client, Connection } from '#client'
import type { Entry } from '#contract/entries'
import { follow } from '../journal/follow.ts'
import type { Names } from '../journal/names.ts'
import { newest, type Query } from '../journal/past.ts'
import { Channel } from './channel.ts'
import { containers, ends, type LogLine, lineOfEntry, ofAgents } from './line.ts'
import { RunReader } from './run-reader.ts'
import { concerns, type Subject } from './subject.ts'

export interface LogsOptions {
  api: Client
  connection: Connection
  names: Names
  subject: Subject
  /** Lines at most of what was. */
  tail: number
  since: string | undefined
  wanted(line: LogLine): boolean
  onState(lost?: Error): void
}

/** Runs of which the words are read for what was. */
const runsRead = 20
/** Entries that are looked through at least. */
const searched = 500

/** Runs, containers and refused connections of a crew, an agent or a run, in one order. */
export class Logs {
  private readonly it: LogsOptions
  private readonly readers = new Map<string, RunReader>()
  private readonly seen = new Set<string>()
  /** Runs whose words are being told, until they are over. */
  private readonly telling = new Map<string, Promise<void>>()

  constructor(options: LogsOptions) {
    this.it = options
  }

  /** What was, oldest first. */
  async past(): Promise<LogLine[]> {
    const { subject, since, tail, wanted, onState } = this.it
    const entries = await this.entries()
    for (const entry of await this.starts()) await this.reader(entry)
    const lines = await Promise.all(entries.map((entry) => this.line(entry)))
    const placed = lines.map((line, place): Placed => ({ line, at: Date.parse(line.ts), place }))
    for (const reader of this.readers.values()) {
      const place = placeIn(entries, reader)
      for await (const line of reader.read(false, onState)) placed.push({ line, ...place(Date.parse(line.ts)) })
    }
    const begin = Date.parse(since ?? subject.run?.started_at ?? '1970')
    const chosen = placed
      .filter(({ line, at }) => at >= begin && wanted(line))
      .sort((a, b) => a.at - b.at || a.place - b.place)
      .map(({ line }) => line)
    return tail ? chosen.slice(-tail) : []
  }

  /** What comes, until it is interrupted; of a run until that is over. `after`: the newest entry that there was. */
  async *live(after: Entry | null): AsyncGenerator<LogLine> {
    const channel = new Channel<LogLine>()
    for (const reader of this.readers.values()) if (reader.open) this.tell(reader, channel)
    this.tellEntries(after, channel).catch((error: unknown) => channel.fail(error))
    for await (const line of channel) if (this.it.wanted(line)) yield line
  }

  private async tellEntries(after: Entry | null, channel: Channel<LogLine>): Promise<void> {
    const { api, connection, subject, onState } = this.it
    const query = { ...scopeOf(subject), entry_type: [...ofAgents, ...containers].join(',') }
    for await (const entry of follow(api, connection, query, { after, onState })) {
      if (this.seen.has(entry.id) || !concerns(subject, entry)) continue
      // What was said last comes before the end.
      if (ends.has(entry.entry_type)) await this.telling.get(entry.trace_id ?? '')
      channel.push(await this.line(entry))
      if (startsRun(entry)) this.tell(await this.reader(entry), channel)
      if (subject.run && ends.has(entry.entry_type)) return channel.end()
    }
  }

  private tell(reader: RunReader, channel: Channel<LogLine>): void {
    const reading = async () => {
      for await (const line of reader.read(true, this.it.onState)) channel.push(line)
    }
    this.telling.set(reader.runId, channel.wait(reading()))
  }

  private async reader(entry: Entry): Promise<RunReader> {
    const id = entry.trace_id!
    const known = this.readers.get(id)
    if (known) return known
    const made = new RunReader(this.it.connection, id, await this.it.names.whoOf(entry), entry.ts)
    this.readers.set(id, made)
    return made
  }

  private async line(entry: Entry): Promise<LogLine> {
    return lineOfEntry(entry, await this.it.names.whoOf(entry))
  }

  /** The newest runs, also those that began before what is shown. */
  private async starts(): Promise<Entry[]> {
    const { api, subject } = this.it
    const { crew, agent, run } = subject
    const whose: Query = run ? { run_id: run.id } : agent ? { agent_id: agent } : { crew_id: crew }
    return newest(api, { ...whose, entry_type: 'run.started' }, runsRead)
  }

  private async entries(): Promise<Entry[]> {
    const { api, subject, since, tail } = this.it
    const { crew, agent, run } = subject
    const begin = since ?? run?.started_at
    const window: Query = { ...(begin && { since: begin }), ...(run?.finished_at && { until: run.finished_at }) }
    const own = { ...window, ...(agent ? { agent_id: agent } : { crew_id: crew }), entry_type: ofAgents.join(',') }
    const around = { ...window, crew_id: crew, entry_type: containers.join(',') }
    const count = Math.max(tail, searched)
    const found = await Promise.all([newest(api, own, count), run || !crew ? [] : newest(api, around, count)])
    const entries = found.flat().filter((entry) => concerns(subject, entry))
    entries.sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const { id } of entries) this.seen.add(id)
    return entries
  }
}

/** An agent without a crew has no containers. */
const scopeOf = ({ crew, agent }: Subject): Query => (crew ? { crew_id: crew } : { agent_id: agent! })
const startsRun = ({ entry_type }: Entry): boolean => entry_type === 'run.started'

interface Placed {
  line: LogLine
  at: number
  /** Of the same moment: the number of the entry, or between two of them. */
  place: number
}

/** What is said in a run stands between its beginning and its end, although it may be stored a moment later. */
function placeIn(entries: readonly Entry[], { runId, startedAt }: RunReader) {
  const first = entries.findIndex((entry) => entry.trace_id === runId && startsRun(entry))
  const last = entries.findIndex((entry) => entry.trace_id === runId && ends.has(entry.entry_type))
  const [start, end] = [Date.parse(startedAt), last < 0 ? Number.POSITIVE_INFINITY : Date.parse(entries[last]!.ts)]
  return (ts: number): Omit<Placed, 'line'> => {
    const at = Math.max(start, Math.min(ts, end))
    return { at, place: at === end ? last - 0.5 : first + 0.5 }
  }
}
