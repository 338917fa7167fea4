import type { Buffer } from 'node:buffer'
import { setTimeout as delay } from 'node:timers/promises'
import { RuntimeError } from '../errors.ts'
import { bounded, inTime } from '../spool/bounded.ts'
import { bundle, traces } from '../spool/bundle.ts'
import { runEnvironment } from '../spool/environment.ts'
import { followRun, never, type Outcome, type Reading } from '../spool/follow-run.ts'
import { Turns } from '../turns.ts'
import type {
  AgentCommand,
  AgentPlaces,
  AgentSpec,
  CommandEnd,
  Follow,
  FollowSink,
  RunRef,
  RunSpec,
  ShellProgram,
  ShellSize,
} from '../types.ts'
import type { ChannelClient } from './channel-client.ts'
import { clearFolders } from './clear-folders.ts'
import type { Connections } from './connections.ts'
import { crewContainerOf } from './crews.ts'
import { endProcesses } from './end-processes.ts'
import type { Container, Engine } from './engine.ts'
import { launch, run } from './exec.ts'
import { ids, type Naming, sidecarUrl } from './names.ts'
import { openShell } from './shell.ts'
import { readStoppedSpool } from './stopped.ts'

const supervise = '/opt/muster/supervise.sh'
const endRunProgram = '/opt/muster/end-run.sh'
/** How long a run may take to end in an orderly way: TERM, 10 s, KILL. */
const orderlyMs = 15_000
/** How long the channel may take to tell whether an agent has processes. */
const silentMs = 2_000

export const placesOf = ({ slug }: AgentSpec): AgentPlaces => ({
  home: `/crew/agents/${slug}`,
  output: `/output/${slug}`,
  workspace: `/workspace/${slug}`,
  secrets: `/secrets/${slug}`,
  crewShared: '/crew/shared',
  workspaceShared: '/workspace/shared',
  runs: `/spool/${slug}`,
  sidecarUrl,
})

const folderOf = ({ agent, runId }: { agent: AgentSpec; runId: string }) => `${placesOf(agent).runs}/${runId}`
const clearing = (container: Container, { uid }: AgentSpec, data: boolean) => `${container.id} ${uid} ${data}`
export const userOf = ({ uid }: AgentSpec) => `${uid}:${ids.crewGroup}`

/** Lets a run end in an orderly way and write its record. The agent can prevent that, so nothing relies on it. */
async function askToEnd(container: Container, ref: RunRef, ms: number): Promise<void> {
  const asked = run(container, { user: userOf(ref.agent), argv: [endRunProgram, folderOf(ref), ref.runId] }).catch(
    () => null,
  )
  const late = new AbortController()
  await Promise.race([asked, delay(ms, undefined, { signal: late.signal }).catch(() => null)])
  late.abort()
}

/** Starts, follows and ends runs in the containers of one engine. */
export class Runs {
  readonly #engine: Engine
  readonly #naming: Naming
  readonly #connections: Connections
  readonly #endProgram: string
  readonly #openRuns: (agentId: string) => string[]
  readonly #endMs: number
  /** By agent, so that no run starts while the agent's processes are being ended. */
  readonly #turns = new Turns()
  readonly #cleared = new Set<string>()
  /** Followed runs that have not ended, by crew, and the reasons why some were lost. */
  readonly #followed = new Map<string, string>()
  readonly #losses = new Map<string, string>()

  /**
   * `endProgram` is the source of the program that ends processes; `openRuns` lists the open runs of an agent; `endMs`
   * is how long a run may take to end in an orderly way.
   */
  constructor(
    engine: Engine,
    naming: Naming,
    connections: Connections,
    endProgram: string,
    openRuns: (agentId: string) => string[],
    endMs = orderlyMs,
  ) {
    this.#engine = engine
    this.#naming = naming
    this.#connections = connections
    this.#endProgram = endProgram
    this.#openRuns = openRuns
    this.#endMs = endMs
  }

  async start(spec: RunSpec): Promise<void> {
    const { agent, runId, crewId } = spec
    const places = placesOf(agent)
    const command = {
      user: userOf(agent),
      argv: [supervise, folderOf(spec), runId, String(spec.timeoutSeconds), ...spec.argv],
      env: Object.entries(runEnvironment(places, spec.env)).map(([name, value]) => `${name}=${value}`),
      stdin: await bundle(folderOf(spec), spec.files, spec.stdin),
    }
    const start = async (container: Container) => {
      for (const data of [false, true]) this.#cleared.delete(clearing(container, agent, data))
      await this.#connections.place(crewId, [agent])
      await launch(container, command, 'started\n')
    }
    await this.#inTurn(spec, () => this.#connections.within(crewId, start))
  }

  /** Runs a short program. An agent can stop it, so the wait for it has an end of its own. */
  async command(crewId: string, agent: AgentSpec, command: AgentCommand): Promise<CommandEnd> {
    const { argv, env = {}, seconds, alone, stdin, mostBytes } = command
    const given = {
      user: userOf(agent),
      argv: [...bounded(seconds), ...argv],
      env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...(stdin && { stdin }),
      ...(mostBytes && { mostBytes }),
    }
    const work = async () => {
      await this.#connections.place(crewId, [agent])
      return this.#connections.within(crewId, (container) => inTime(run(container, given), seconds))
    }
    return alone ? this.#inTurn({ crewId, agent }, work) : work()
  }

  openShell(crewId: string, agent: AgentSpec, id: string, size: ShellSize): Promise<ShellProgram> {
    const open = async (container: Container) => {
      await this.#connections.place(crewId, [agent])
      return openShell(container, userOf(agent), placesOf(agent), id, size)
    }
    return this.#inTurn({ crewId, agent }, () => this.#connections.within(crewId, open))
  }

  async end(ref: RunRef): Promise<void> {
    const found = await crewContainerOf(this.#engine, this.#naming, ref.crewId)
    // A stopped container has no processes.
    if (!found?.running) return
    await askToEnd(found.container, ref, this.#endMs)
    await this.endLeft(ref.crewId, ref.agent, ref.runId)
  }

  /** Ends an agent's processes outside its open runs; `ended` no longer counts as open. */
  endLeft(crewId: string, agent: AgentSpec, ended?: string): Promise<void> {
    return this.#inTurn({ crewId, agent }, async () => {
      if (await this.isGone(crewId, agent.uid)) return
      const spare = this.#openRuns(agent.agentId).filter((it) => it !== ended)
      await endProcesses(this.#engine, this.#naming, crewId, this.#endProgram, { uid: agent.uid, spare })
    })
  }

  /** Ends all processes of a user that is no agent. */
  endUser(crewId: string, uid: number): Promise<void> {
    return endProcesses(this.#engine, this.#naming, crewId, this.#endProgram, { uid, spare: [] })
  }

  /** Ends all agents' processes before a stop: an engine that waits for a command cannot stop the container. */
  async endAll(crewId: string): Promise<void> {
    // A failure here also fails the stop, which reports it.
    await endProcesses(this.#engine, this.#naming, crewId, this.#endProgram, { uid: null, spare: [] }).catch(() => {})
  }

  /**
   * Removes an agent that left: its processes, its secrets and, with `data`, its folders. Done once for each container,
   * as a stopped crew has neither processes nor secrets.
   */
  async clear(crewId: string, agent: AgentSpec, data: boolean): Promise<void> {
    const found = await crewContainerOf(this.#engine, this.#naming, crewId)
    if (!found?.running) return
    const done = clearing(found.container, agent, data)
    if (this.#cleared.has(done)) return
    await this.#inTurn({ crewId, agent }, async () => {
      if (!(await this.isGone(crewId, agent.uid)))
        await endProcesses(this.#engine, this.#naming, crewId, this.#endProgram, { uid: agent.uid, spare: [] })
      await clearFolders(found.container, userOf(agent), placesOf(agent), data)
      // An agent that comes back needs its folders again.
      this.#connections.forget(crewId)
    })
    this.#cleared.add(done)
  }

  /** Whether a user has no process. Asks the channel, which need not start a process for it. */
  async isGone(crewId: string, uid: number): Promise<boolean> {
    const found = await crewContainerOf(this.#engine, this.#naming, crewId)
    if (!found?.running) return true
    // A fork bomb may keep the channel from answering, which means that there are processes.
    const late = new AbortController()
    const asked = this.#connections.channel(crewId).then((channel) => channel.gone(uid))
    const silent = delay(silentMs, false, { signal: late.signal })
    for (const it of [asked, silent]) it.catch(() => {})
    return Promise.race([asked, silent])
      .catch(() => false)
      .finally(() => late.abort())
  }

  #inTurn<T>({ crewId, agent }: { crewId: string; agent: AgentSpec }, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(`${crewId} ${agent.uid}`, work)
  }

  async discard(ref: RunRef): Promise<void> {
    const argv = ['rm', '-rf', '--', ...traces.map((suffix) => `${folderOf(ref)}${suffix}`)]
    const discard = () =>
      this.#connections.within(ref.crewId, (container) => run(container, { user: userOf(ref.agent), argv }))
    const { code, stderr } = await this.#inTurn(ref, discard)
    if (code !== 0) throw new RuntimeError('refused', `The run's output could not be removed: ${stderr.trim() || code}`)
  }

  follow(ref: RunRef, offset: number, sink: FollowSink): Follow {
    const { runId, crewId } = ref
    this.#followed.set(runId, crewId)
    const end: FollowSink['end'] = (how, stderr) => {
      const why = this.#losses.get(runId)
      this.#followed.delete(runId)
      this.#losses.delete(runId)
      sink.end(how.kind === 'lost' && !how.never && why ? { kind: 'lost', reason: why } : how, stderr)
    }
    const told: FollowSink = { data: (chunk, at) => sink.data(chunk, at), end, broken: (error) => sink.broken(error) }
    return followRun(offset, told, {
      read: (position, data) => this.#read(ref, position, data),
      end: () => this.end(ref),
    })
  }

  /** Sets the reason for runs that are lost when the crew's containers are replaced. */
  blame(crewId: string, reason: string): void {
    for (const [runId, its] of this.#followed) if (its === crewId) this.#losses.set(runId, reason)
  }

  #read(ref: RunRef, position: number, data: (chunk: Buffer) => void): Reading {
    let stop = () => {}
    let stopped = false
    const follow = (channel: ChannelClient): Promise<Outcome> =>
      new Promise((resolve, reject) => {
        stop = channel.follow(folderOf(ref), position, { data, done: resolve, failed: reject })
        if (stopped) stop()
      })
    const read = async (): Promise<Outcome> => {
      const open = await this.#connections.openChannel(ref.crewId)
      if (open) return follow(open)
      const found = await crewContainerOf(this.#engine, this.#naming, ref.crewId)
      // Only the volumes tell whether the run had begun, and they cannot be read now.
      if (!found) return { record: "lost the crew's container is gone", stderr: '' }
      if (!found.running) {
        const left = await readStoppedSpool(found.container, folderOf(ref), position, data)
        // A stopped container has no processes to end.
        return left ? { ...left, record: left.record ?? 'lost' } : never('the container stopped before it began')
      }
      return follow(await this.#connections.channel(ref.crewId))
    }
    return {
      outcome: read(),
      stop() {
        stopped = true
        stop()
      },
    }
  }
}
