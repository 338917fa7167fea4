import { hash as digest, randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { TypedEmitter } from 'tiny-typed-emitter'
import type { About, Fact, FactName } from '#contract/entries'
import type { DiskService, RuntimeService } from '#runtime/service-types'
import { noDisk, noRuns, noRuntime } from './absent.ts'
import { type Authenticator, adminKeyOf, createAuthenticator } from './auth/authenticator.ts'
import { createInternalTokens, type InternalTokens } from './auth/internal.ts'
import { createPasswords, type Passwords } from './auth/passwords.ts'
import type { Config } from './config.ts'
import type { Operation } from './dispatch.ts'
import { createReactor, draftOf, type Reactor } from './facts.ts'
import type { Channels } from './feature.ts'
import { createOriginRules, type OriginRules } from './http/origin.ts'
import { createJournal, type Draft, type JournalIndex, type Projection, type Recorded } from './journal/journal.ts'
import type { SealFile } from './journal/seal-file.ts'
import { createSealer, noSealer, type Sealer } from './journal/sealer.ts'
import { createLimits, type Limits } from './limits/limits.ts'
import { createSeats, type Seats } from './limits/seats.ts'
import type { Log } from './log.ts'
import { createMailer, type Mailer } from './mail/mailer.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createOutbound, type Outbound } from './outbound/outbound.ts'
import { problem } from './problem.ts'
import type { RunSource, Runs } from './runs.ts'
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
  /** A CLI token or a session was revoked or ran out: its sockets and streams close. */
  revoked: (credentialId: string) => void
  /** Someone may enter this workspace no more: its sockets and streams ask again. */
  access_lost: (workspaceId: string) => void
  /** There is a new token, which runs out at this time. */
  token_expires: (at: string) => void
  /** Something is to be ended at this time if nobody decides it before. */
  due: (at: string) => void
}

type Scrub = (who: { workspace_id: string; agent_id: string }, offered: readonly string[]) => <T>(value: T) => T

/** Everything a feature stands on. */
export interface App extends Writer {
  readonly config: Config
  readonly db: Db
  readonly log: Log
  readonly bus: TypedEmitter<Events>
  /** Null when no encryption key can be had: writing secrets answers 503. */
  readonly vault: Vault | null
  readonly operations: Map<string, Operation>
  /** Which workspace a WebSocket channel belongs to, by its kind. */
  readonly channels: Map<string, Channels[string]>
  readonly auth: Authenticator
  readonly internalTokens: InternalTokens
  readonly limits: Limits
  /** Sockets and streams that people have open, by user. */
  readonly streams: Seats
  readonly passwords: Passwords
  readonly originRules: OriginRules
  readonly metrics: Metrics
  readonly storage: Storage
  /** The one way out to other servers. */
  readonly outbound: Outbound
  readonly mailer: Mailer
  /** The crews' containers. */
  runtime: RuntimeService
  /** Carries out the agents' runs. */
  runs: Runs
  /** What runs may come from, by the name that is stored with a run. */
  readonly sources: Map<string, RunSource>
  /**
   * What takes the secrets that an agent knows, and those that it offers, out of what it sends. Refuses until the
   * runtime is up.
   */
  scrub: Scrub
  /** The disk that crews fill. */
  disk: DiskService
  /** Serves what stands behind capability URLs (`/exposed/…`), as it comes; null where another listener does. */
  exposed: RequestListener | null
  /** Where capability URLs begin; null when the server does not know how it is reached. */
  exposedUrl: string | null
  /** Aborted when the daemon stops: streams end, nothing new is admitted. */
  readonly stopping: AbortController
  /** When this process began, milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970. */
  clock(): number
  /** Milliseconds since 1970 by a clock that nobody sets: durations are measured by it. */
  steady(): number
  /** RFC 3339 UTC, whole seconds. */
  now(): string
  /** Records a fact within the current change, and runs what reacts to it. */
  journal(fact: Fact): Recorded
  /** Records a fact in the journals of these workspaces, possibly none; reactions run once in any case. */
  journalIn(workspaces: readonly string[], fact: Fact<FactName, Omit<About, 'workspace_id'>>): void
  /** What reacts to facts. */
  readonly reactor: Reactor
  /** Keeps something else in step with the journal, within the transaction of each entry. */
  project(projection: Projection): void
  /** What reads of the journal are planned from. */
  readonly index: JournalIndex
  /** Proofs of the journal's head, kept beside the database; none where there is no place or key for them. */
  readonly seals: Sealer
  /** Reads that may take long. */
  readonly reads: Reads
  /** Runs `work` as `write` does and takes all of it back: nothing is stored, sent or heard of. */
  writeDry<T>(work: () => T): Promise<Dry<T>>
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
  clock?: () => number
  /** The given clock when absent, else one that nobody sets. */
  steady?: () => number
  reads?: Reads
}

export function createApp(parts: AppParts): App {
  const { config, db, log, vault, clock = Date.now, steady = parts.clock ?? steadyClock() } = parts
  const reads = parts.reads ?? (db.memory ? createInlineReads(db) : createThreadReads(db, log))
  const bus = new TypedEmitter<Events>()
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

  // Every request asks for the time in words; it changes once a second.
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

  function append(draft: Draft): Recorded {
    if (!current) throw new Error('A journal entry needs a change to belong to')
    const entry = journal.append(draft)
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
    streams: createSeats({ each: config.streamsPerUser }),
    passwords: createPasswords(),
    originRules: createOriginRules(config),
    metrics: createMetrics(),
    storage,
    outbound,
    mailer: createMailer({ config, log, outbound, vault }),
    runtime: noRuntime,
    runs: noRuns,
    sources: new Map(),
    scrub: notYet,
    disk: noDisk,
    exposed: null,
    exposedUrl: config.publicUrl || null,
    stopping: new AbortController(),
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
    watched,
    reactor,
    project: journal.project,
    index: journal.index,
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

/** Milliseconds since 1970 as this machine told them now, counted on whatever becomes of its clock. */
export function steadyClock(): () => number {
  const began = Date.now() - performance.now()
  return () => began + performance.now()
}

/** The key of sessions is the operator's own secret when there is one. */
const sessionVault = ({ sessionSecret }: Config, vault: Vault | null): Vault | null =>
  sessionSecret ? createVault(digest('sha256', sessionSecret, 'buffer')) : vault

export const wholeSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
