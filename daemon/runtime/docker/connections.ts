import { PassThrough } from 'node:stream'
import { RuntimeError } from '../errors.ts'
import { SidecarLink } from '../sidecar/link.ts'
import type { AgentSpec, NetworkPolicy, SidecarConfig, SidecarListener, SidecarReport } from '../types.ts'
import { type Attachment, attach } from './attach.ts'
import { placeAgents } from './bring-up.ts'
import { type ChannelClient, openChannel } from './channel-client.ts'
import { crewContainerOf, findCrew, notRunning } from './crews.ts'
import type { Container, Engine } from './engine.ts'
import type { Naming } from './names.ts'
import type { Relays } from './relays.ts'

/** How long a sidecar may take to install its rules and answer. */
const joinMs = 30_000

interface Joined {
  containerId: string
  link: SidecarLink
  attachment: Attachment
}

/** The daemon's connections to running crews: channels, links to sidecars, and cached containers. */
export class Connections {
  readonly #engine: Engine
  readonly #naming: Naming
  readonly #report: (crewId: string, report: SidecarReport) => void
  readonly #answer: SidecarListener
  readonly #relays: Relays
  readonly #channels = new Map<string, Promise<ChannelClient>>()
  readonly #containers = new Map<string, Container>()
  readonly #placed = new Map<string, Set<string>>()
  readonly #sidecars = new Map<string, Promise<Joined>>()
  readonly #configs = new Map<string, SidecarConfig>()

  constructor(
    engine: Engine,
    naming: Naming,
    report: (crewId: string, report: SidecarReport) => void,
    answer: SidecarListener,
    relays: Relays,
  ) {
    this.#engine = engine
    this.#naming = naming
    this.#report = report
    this.#answer = answer
    this.#relays = relays
  }

  /** The crew's running container. */
  async container(crewId: string): Promise<Container> {
    const known = this.#containers.get(crewId)
    if (known) return known
    const found = await crewContainerOf(this.#engine, this.#naming, crewId)
    if (!found?.running) throw notRunning()
    this.#containers.set(crewId, found.container)
    return found.container
  }

  /** Runs work with the crew's container, once more if the cached container was replaced. */
  async within<T>(crewId: string, work: (container: Container) => Promise<T>): Promise<T> {
    const known = this.#containers.get(crewId)
    try {
      return await work(await this.container(crewId))
    } catch (error) {
      this.forget(crewId)
      if (!known || !(error instanceof RuntimeError)) throw error
      const now = await this.container(crewId)
      if (now.id === known.id) throw error
      return work(now)
    }
  }

  async channel(crewId: string): Promise<ChannelClient> {
    const open = this.#channels.get(crewId)
    if (open && !(await open.then((it) => it.closed).catch(() => true))) return open
    if (this.#channels.get(crewId) === open) this.#channels.set(crewId, this.within(crewId, openChannel))
    return this.#channels.get(crewId)!
  }

  /** The crew's channel if it is open, which proves that its container runs. */
  async openChannel(crewId: string): Promise<ChannelClient | null> {
    const channel = await this.#channels.get(crewId)?.catch(() => null)
    return channel && !channel.closed ? channel : null
  }

  /** Creates folders for agents that joined the crew after it was brought up. */
  async place(crewId: string, agents: AgentSpec[]): Promise<void> {
    const container = await this.container(crewId)
    const placed = this.#placed.get(container.id) ?? new Set()
    const missing = agents.filter(({ slug, uid }) => !placed.has(`${slug}:${uid}`))
    if (!missing.length) return
    await placeAgents(container, missing)
    for (const { slug, uid } of missing) placed.add(`${slug}:${uid}`)
    this.#placed.set(container.id, placed)
  }

  /** Attaches to a sidecar's private channel, waits for its rules, and sends it the known configuration. */
  async joinSidecar(crewId: string, container: Container): Promise<void> {
    this.#leaveSidecar(crewId)
    const joining = this.#join(crewId, container)
    this.#sidecars.set(crewId, joining)
    joining.catch(() => this.#sidecars.get(crewId) === joining && this.#sidecars.delete(crewId))
    const { link } = await joining
    if (this.#sidecars.get(crewId) === joining) await this.#relays.open(crewId, container)
    const config = this.#configs.get(crewId)
    if (config) await link.configure(config)
  }

  async #join(crewId: string, container: Container): Promise<Joined> {
    const output = new PassThrough()
    const said: string[] = []
    const attachment = await attach(container, {
      stdout: (chunk) => void output.write(Buffer.from(chunk)),
      stderr: (chunk) => void said.push(chunk.toString()),
      closed: () => output.destroy(),
    })
    const link = new SidecarLink(attachment.input, output, {
      report: (report) => this.#report(crewId, report),
      call: (call, signal) => this.#answer(crewId, call, signal),
      down: () => {
        this.#sidecars.delete(crewId)
        this.#relays.drop(crewId)
      },
    })
    const patience = setTimeout(() => output.destroy(new Error(`no answer within ${joinMs / 1000} s`)), joinMs)
    await link.ready
      .finally(() => clearTimeout(patience))
      .catch((cause) => {
        attachment.close()
        throw new RuntimeError(
          'refused',
          `The sidecar did not come up: ${said.join('').trim() || (cause as Error).message}`,
          { cause },
        )
      })
    return { containerId: container.id, link, attachment }
  }

  #leaveSidecar(crewId: string): void {
    this.#relays.drop(crewId)
    this.#sidecars.get(crewId)?.then(
      ({ attachment }) => attachment.close(),
      () => {},
    )
    this.#sidecars.delete(crewId)
  }

  /** Stores the configuration for future sidecars, and sends it to the running one. */
  async configure(crewId: string, config: SidecarConfig): Promise<void> {
    this.#configs.set(crewId, config)
    const joined = await this.#sidecars.get(crewId)
    if (joined) return joined.link.configure(config)
    const { sidecar } = await findCrew(this.#engine, this.#naming, crewId)
    if (sidecar?.State.Running) await this.joinSidecar(crewId, this.#engine.getContainer(sidecar.Id))
  }

  /** What the crew's sidecar was told to allow; null before it was told. */
  policy(crewId: string): NetworkPolicy | null {
    return this.#configs.get(crewId)?.network ?? null
  }

  /** Whether the daemon is attached to the sidecar that runs now. */
  async joinedTo(crewId: string, containerId: string): Promise<boolean> {
    const joined = await this.#sidecars.get(crewId)?.catch(() => null)
    return joined?.containerId === containerId
  }

  /** Drops the cached container, which may be outdated. */
  forget(crewId: string): void {
    const container = this.#containers.get(crewId)
    this.#containers.delete(crewId)
    if (container) this.#placed.delete(container.id)
  }

  /** Closes all connections to a crew whose containers are being removed. */
  drop(crewId: string): void {
    this.forget(crewId)
    this.#leaveSidecar(crewId)
    this.#channels.get(crewId)?.then(
      (it) => it.close('the container is being replaced'),
      () => {},
    )
    this.#channels.delete(crewId)
  }

  close(): void {
    for (const crewId of [...this.#channels.keys(), ...this.#sidecars.keys()]) this.drop(crewId)
  }
}
