import type { Buffer } from 'node:buffer'
import { RuntimeError } from '../errors.ts'
import { bundle, traces } from '../spool/bundle.ts'
import { runEnvironment } from '../spool/environment.ts'
import { followRun, never, type Outcome, type Reading } from '../spool/follow-run.ts'
import type { AgentPlaces, AgentSpec, Follow, FollowSink, RunRef, RunSpec } from '../types.ts'
import type { ChannelClient } from './channel-client.ts'
import type { Connections } from './connections.ts'
import { crewContainerOf } from './crews.ts'
import type { Engine } from './engine.ts'
import { launch, run } from './exec.ts'
import { ids, type Naming } from './names.ts'
import { readStoppedSpool } from './stopped.ts'

const supervise = '/opt/muster/supervise.sh'
const endRunProgram = '/opt/muster/end-run.sh'

export const placesOf = ({ slug }: AgentSpec): AgentPlaces => ({
  home: `/crew/agents/${slug}`,
  output: `/output/${slug}`,
  workspace: `/workspace/${slug}`,
  secrets: `/secrets/${slug}`,
  crewShared: '/crew/shared',
  workspaceShared: '/workspace/shared',
  runs: `/spool/${slug}`,
  sidecarUrl: 'http://127.0.0.1:9119',
})

const folderOf = ({ agent, runId }: { agent: AgentSpec; runId: string }) => `${placesOf(agent).runs}/${runId}`
const userOf = ({ uid }: AgentSpec) => `${uid}:${ids.crewGroup}`

/** Starting, following and ending runs in the containers of one engine. */
export class Runs {
  readonly #engine: Engine
  readonly #naming: Naming
  readonly #connections: Connections

  constructor(engine: Engine, naming: Naming, connections: Connections) {
    this.#engine = engine
    this.#naming = naming
    this.#connections = connections
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
    await this.#connections.within(crewId, async (container) => {
      await this.#connections.place(crewId, [agent])
      await launch(container, command, 'started\n')
    })
  }

  async end(ref: RunRef): Promise<void> {
    const found = await crewContainerOf(this.#engine, this.#naming, ref.crewId)
    // Nothing lives in a container that does not run.
    if (!found?.running) return
    const argv = [endRunProgram, folderOf(ref), ref.runId]
    const { code, stderr } = await run(found.container, { user: userOf(ref.agent), argv })
    if (code !== 0) throw new RuntimeError('refused', `The run could not be ended: ${stderr.trim() || code}`)
  }

  async discard(ref: RunRef): Promise<void> {
    const argv = ['rm', '-rf', '--', ...traces.map((suffix) => `${folderOf(ref)}${suffix}`)]
    const { code, stderr } = await this.#connections.within(ref.crewId, (container) => run(container, { user: userOf(ref.agent), argv }))
    if (code !== 0) throw new RuntimeError('refused', `The run's output could not be removed: ${stderr.trim() || code}`)
  }

  follow(ref: RunRef, offset: number, sink: FollowSink): Follow {
    return followRun(offset, sink, { read: (position, data) => this.#read(ref, position, data), end: () => this.end(ref) })
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
      // Whether it had begun stands in the volumes, which nobody can read now.
      if (!found) return { record: "lost the crew's container is gone", stderr: '' }
      if (!found.running) {
        const left = await readStoppedSpool(found.container, folderOf(ref), position, data)
        // Nobody lives in a stopped container, so there is nobody to end.
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
