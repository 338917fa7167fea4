// Longer than other files: what features work with stands in one place.
import { hash as digest, randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { RequestListener } from 'node:http'
import { TypedEmitter } from 'tiny-typed-emitter'
import type { About, Fact, FactName } from '#contract/entries'
import type {
  CollisionService,
  DiskService,
  MarkService,
  MonitorService,
  RuntimeService,
  TripwireService,
} from '#runtime/service-types'
import {
  noCollisions,
  noDisk,
  noMarks,
  noMonitor,
  noRoutines,
  noRuns,
  noRuntime,
  noScripts,
  noShells,
  noTripwires,
} from './absent.ts'
import { type Authenticator, adminKeyOf, createAuthenticator } from './auth/authenticator.ts'
import { createInternalTokens, type InternalTokens } from './auth/internal.ts'
import { createPasswords, type Passwords } from './auth/passwords.ts'
import type { Config } from './config.ts'
import type { Operation } from './dispatch.ts'
import { createReactor, draftOf, type Reactor } from './facts.ts'
import type { Channels } from './feature.ts'
import { createOriginRules, type OriginRules } from './http/origin.ts'
import type { Instance } from './instance.ts'
import type { Eraser } from './journal/eraser.ts'
import { createJournal, type Draft, type JournalIndex, type Projection, type Recorded } from './journal/journal.ts'
import type { SealFile } from './journal/seal-file.ts'
import { createSealer, noSealer, type Sealer } from './journal/sealer.ts'
import { createLimits, type Limits } from './limits/limits.ts'
import { createSlots, type Slots } from './limits/slots.ts'
import type { Log } from './log.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createOutbound, type Outbound } from './outbound/outbound.ts'
import { problem } from './problem.ts'
import type { Routines } from './routines.ts'
import type { RunSource, Runs } from './runs.ts'
import type { Scripts } from './scripts.ts'
import type { Shells } from './shells.ts'
import { newSigner, type Signer } from './signer.ts'
import type { Db } from './store/db.ts'
import { createInlineReads, createThreadReads, type Reads } from './store/reads.ts'
import { createStorage, type Storage } from './store/storage.ts'
import { createVault, type Vault } from './store/vault.ts'
import { createWriter, settledAtOnce, type Writer } from './store/writer.ts'

/** A message for the WebSocket subscribers of a channel, such as `workspace:<id>`. Sent after the commit. */
export interface Broadcast {
  channel: string
  type: string
  /** Always an object: clients drop frames whose payload is anything else. */
  payload: object
}

interface Events {
  /** An entry is stored. Listeners must be quick and must not throw. */
  entry: (recorded: Recorded) => void
  broadcast: (message: Broadcast) => void
  /** A CLI token or a session was revoked or expired: its sockets and streams close. */
  revoked: (credentialId: string) => void
  /** Somebody lost access to this workspace: its sockets and streams check again. */
  access_lost: (workspaceId: string) => void
  /** A token was created that expires at this time. */
  token_expires: (at: string) => void
  /** A decision was opened that expires at this time. */
  due: (at: string) => void
  /** A run of a routine has something to do. */
  routine: (runId: string) => void
  /** A step of a routine is to be looked at then. */
  wake: (at: string) => void
  /** A message is to go through a channel then, in milliseconds since 1970. */
  deliver: (at: number) => void
  /** A step of a routine is to call another server. */
  call: (stepId: string) => void
  /** That call is no longer wanted. */
  called: (stepId: string) => void
  /** A run of a routine is to begin then. */
  parked: (at: string) => void
  /** A sync of the registry of MCP servers was asked for. */
  registry: () => void
  /** A compaction of a journal was asked for, with this entry. */
  compact: (seq: number) => void
  /** An erasure in a journal was asked for. */
  erase: (id: string) => void
  /** A schedule is due then. */
  scheduled: (at: string) => void
}

type Scrub = (who: { workspace_id: string; agent_id: string }, offered: readonly string[]) => <T>(value: T) => T

/** What features work with. */
export interface App extends Writer {
  readonly config: Config
  readonly db: Db
  readonly log: Log
  readonly bus: TypedEmitter<Events>
  /** Null without an encryption key: writing secrets answers 503. */
  readonly vault: Vault | null
  /** Proves to this machine's owner whose daemon this is; null without a data folder. */
  readonly instance: Instance | null
  /** Signs receipts. */
  readonly signer: Signer
  readonly operations: Map<string, Operation>
  /** Finds the workspace of a WebSocket channel, by kind of channel. */
  readonly channels: Map<string, Channels[string]>
  readonly auth: Authenticator
  readonly internalTokens: InternalTokens
  readonly limits: Limits
  /** Slots for open sockets and streams, by user. */
  readonly streams: Slots
  readonly passwords: Passwords
  readonly originRules: OriginRules
  readonly metrics: Metrics
  readonly storage: Storage
  /** The only client for other servers. */
  readonly outbound: Outbound
  readonly mailer: Mailer
  /** The crews' containers. */
  runtime: RuntimeService
  /** Executes the agents' runs. */
  runs: Runs
  /** Terminals of people in crews. */
  shells: Shells
  /** Scripts in crews. */
  scripts: Scripts
  /** Routines, for features that stand below them. */
  routines: Routines
  /** Sources of runs, by the name that is stored with a run. */
  readonly sources: Map<string, RunSource>
  /** Removes secrets that an agent knows or offers from what it sends. Refuses until the runtime is up. */
  scrub: Scrub
  /** Collisions of the agents' writes. */
  collisions: CollisionService
  /** Judges the agents' calls of tools. */
  monitor: MonitorService
  /** Notices decoys that agents touch. */
  tripwires: TripwireService
  /** Marked files of the crews. */
  marks: MarkService
  /** Disk usage of the crews. */
  disk: DiskService
  /** Serves capability URLs (`/exposed/…`); null where another listener does. */
  exposed: RequestListener | null
  /** Base of capability URLs; null when the server does not know its own address. */
  exposedUrl: string | null
  /** Aborted when the daemon stops: streams end, and nothing new is admitted. */
  readonly stopping: AbortController
  /** When this process started, milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970. */
  clock(): number
  /** Milliseconds by a monotonic clock, for durations. */
  steady(): number
  /** RFC 3339 UTC, whole seconds. */
  now(): string
  /** Records a fact within the current change and runs its reactions. */
  journal(fact: Fact): Recorded
  /** Records a fact in the journals of these workspaces, possibly none; reactions run once in any case. */
  journalIn(workspaces: readonly string[], fact: Fact<FactName, Omit<About, 'workspace_id'>>): void
  /** Runs the reactions to facts. */
  readonly reactor: Reactor
  /** Registers a projection, which runs within the transaction of each entry. */
  project(projection: Projection): void
  /** Statistics from which reads of the journal are planned. */
  readonly index: JournalIndex
  /** Erases what entries say, within the current change. */
  readonly eraser: Eraser
  /** Seals the journal's heads in a file beside the database; does nothing without a file or key. */
  readonly seals: Sealer
  /** Runs reads that may take long. */
  readonly reads: Reads
  /** Runs `work` as `write` does and takes all of it back: nothing is stored, sent or heard of. */
  writeDry<T>(work: () => T): Promise<Dry<T>>
  /** Runs `work` within the current change; entries that it records have this trace unless they name another. */
  traced<T>(trace: string, work: () => T): T
  /** Runs `work` within the current change and says whether it wrote anything. */
  watched<T>(work: () => T): { value: T; wrote: boolean }
  /** Sends a message when the current change is committed; at once outside of a change. */
  broadcast(message: Broadcast): void
  /** Runs `work` when the current change is committed; at once outside of a change. */
  afterCommit(work: () => void): void
}

/** What a change answered, and the entries that it recorded, before it was taken back. */
export interface Dry<T> {
  answer: T
  entries: readonly Recorded[]
}

export interface AppParts {
  config: Config
  db: Db
  log: Log
  vault: Vault | null
  seals?: SealFile | null
  instance?: Instance
  /** Defaults to one whose key nobody keeps. */
  signer?: Signer
  clock?: () => number
  /** Defaults to `clock` when that is given, else to a monotonic clock. */
  steady?: () => number
  reads?: Reads
}

export function createApp(parts: AppParts): App {
  const { config, db, log, vault, clock = Date.now, steady = parts.clock ?? steadyClock() } = parts
  const reads = parts.reads ?? (db.memory ? createInlineReads(db) : createThreadReads(db, log))
  const bus = new TypedEmitter<Events>()
  const stopping = new AbortController()
  // Every open stream listens.
  setMaxListeners(0, bus, stopping.signal)
  const journal = createJournal(db, clock)
  const storage = createStorage(db, log)
  const seals = parts.seals ? createSealer({ db, journal, file: parts.seals, clock, log }) : noSealer
  const outbound = createOutbound()
  const reactor = createReactor()
  const rows = db.prepare<[], number>('SELECT total_changes()').pluck()
  type Outgoing = () => void
  let current: Outgoing[] | null = null
  let kept: Outgoing[] = []
  let heard: Recorded[] = []

  // Cached, since every request needs the formatted time and it changes once a second.
  let second = Number.NaN
  let words = ''
  const now = () => {
    const current = Math.floor(clock() / 1000)
    if (current !== second) words = wholeSeconds(current * 1000)
    second = current
    return words
  }
  const afterCommit = (work: Outgoing) => {
    if (current) current.push(work)
    else work()
  }
  const writer = createWriter(db, {
    begin() {
      current = []
      heard = []
      journal.mark()
    },
    keep() {
      kept.push(...current!)
      current = null
    },
    drop() {
      current = null
      journal.rewind()
    },
    committed() {
      journal.settle()
      reads.grown(journal.index.head())
      seals.grown()
      const all = kept
      kept = []
      for (const out of all) {
        try {
          out()
        } catch (error) {
          log.error({ err: error }, 'A listener failed')
        }
      }
    },
    aborted(error) {
      kept = []
      current = null
      journal.forget()
      storage.failed(error)
    },
  })

  async function writeDry<T>(work: () => T): Promise<Dry<T>> {
    let dry: Dry<T> | undefined
    try {
      await writer.write(() => {
        dry = { answer: settledAtOnce(work()), entries: heard }
        throw new TakenBack()
      })
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error
    }
    return dry!
  }

  function watched<T>(work: () => T): { value: T; wrote: boolean } {
    const [entries, before] = [heard.length, rows.get()]
    const value = work()
    return { value, wrote: heard.length > entries || rows.get() !== before }
  }

  let trace: string | undefined
  function traced<T>(id: string, work: () => T): T {
    trace = id
    try {
      return work()
    } finally {
      trace = undefined
    }
  }

  function append(draft: Draft): Recorded {
    if (!current) throw new Error('A journal entry can only be recorded within a change')
    const entry = journal.append({ ...draft, trace_id: draft.trace_id ?? trace })
    heard.push(entry)
    current.push(() => bus.emit('entry', entry))
    return entry
  }

  return {
    ...writer,
    config,
    db,
    log,
    bus,
    vault,
    instance: parts.instance ?? null,
    signer: parts.signer ?? newSigner(),
    clock,
    steady,
    operations: new Map(),
    channels: new Map(),
    auth: createAuthenticator({
      db,
      clock,
      steady,
      adminKey: adminKeyOf(config.adminTokenKey),
      vault: sessionVault(config, vault),
      ...writer,
    }),
    internalTokens: createInternalTokens(
      config.internalToken || (vault?.derive('internal-tokens') ?? randomBytes(32)).toString('hex'),
    ),
    limits: createLimits(config, steady, clock),
    streams: createSlots({ each: config.streamsPerUser }),
    passwords: createPasswords(),
    originRules: createOriginRules(config),
    metrics: createMetrics(),
    storage,
    outbound,
    mailer: createMailer({ config, log, outbound, vault }),
    runtime: noRuntime,
    runs: noRuns,
    shells: noShells,
    scripts: noScripts,
    routines: noRoutines,
    sources: new Map(),
    scrub: notYet,
    disk: noDisk,
    collisions: noCollisions,
    monitor: noMonitor,
    tripwires: noTripwires,
    marks: noMarks,
    exposed: null,
    exposedUrl: config.publicUrl || null,
    stopping,
    startedAt: clock(),
    now,
    journal(it) {
      reactor.check(it.name)
      const recorded = append({ ...draftOf(db, it), workspace_id: it.about.workspace_id })
      reactor.happened(this, { ...it, recorded: [recorded] })
      return recorded
    },
    journalIn(workspaces, it) {
      reactor.check(it.name)
      const draft = draftOf(db, it)
      const recorded = workspaces.map((workspace_id) => append({ ...draft, workspace_id }))
      reactor.happened(this, { ...it, recorded })
    },
    writeDry,
    traced,
    watched,
    reactor,
    project: journal.project,
    index: journal.index,
    eraser: journal.eraser,
    seals,
    reads,
    broadcast: (message) => afterCommit(() => bus.emit('broadcast', message)),
    afterCommit,
  }
}

/** Ends a change that was never to be kept. */
class TakenBack extends Error {}

const notYet: Scrub = () => {
  throw problem('unavailable', { detail: 'Muster is starting. Try again in a moment' })
}

/** A monotonic clock that starts at the current time, in milliseconds since 1970. */
export function steadyClock(): () => number {
  const began = Date.now() - performance.now()
  return () => began + performance.now()
}

/** Seals sessions with the operator's session secret if it is set, else with the encryption key. */
const sessionVault = ({ sessionSecret }: Config, vault: Vault | null): Vault | null =>
  sessionSecret ? createVault(digest('sha256', sessionSecret, 'buffer')) : vault

export const wholeSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
