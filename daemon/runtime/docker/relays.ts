import { relayWindow } from '../bridge/relay-sockets.ts'
import { connectUpstream, type Relayed } from '../relayed.ts'
import { type Bridge, openBridge } from './bridges.ts'
import type { Container } from './engine.ts'
import { ids } from './names.ts'

const againMs = 2000
/** As many as the sidecar has for model calls, so that one agent cannot take them all. */
const mostConnections = 256

interface Relay {
  crewId: string
  bridge: Bridge | null
  failing: boolean
  over: boolean
}

/** Carries the model calls of sidecars to upstreams on the daemon's own loopback, and to nothing else. */
export class Relays {
  readonly #upstreams: readonly Relayed[]
  readonly #relays = new Map<string, Relay>()
  readonly #failed: (crewId: string, error: unknown) => void

  /** `failed` hears of the first of several vain starts. */
  constructor(upstreams: readonly Relayed[], failed: (crewId: string, error: unknown) => void = () => {}) {
    this.#upstreams = upstreams
    this.#failed = failed
  }

  /** Relays for this sidecar until `drop`, with a new program whenever one ends. */
  async open(crewId: string, container: Container): Promise<void> {
    this.drop(crewId)
    if (!this.#upstreams.length) return
    const relay: Relay = { crewId, bridge: null, failing: false, over: false }
    this.#relays.set(crewId, relay)
    await this.#start(relay, container)
  }

  async #start(relay: Relay, container: Container): Promise<void> {
    const again = () => void setTimeout(() => relay.over || void this.#start(relay, container), againMs).unref()
    try {
      relay.bridge = await openBridge(container, {
        argv: ['node', '/opt/muster/relay.cjs', ...this.#upstreams.map(({ provider }) => provider)],
        user: `${ids.watcher}:${ids.nobody}`, // the sidecar's uid, without the group that may leave the network
        stays: true,
        pipe: {
          connect: (place) => connectUpstream(this.#upstreams[place]),
          most: mostConnections,
          window: relayWindow,
        },
      })
      relay.failing = false
      if (relay.over) relay.bridge.close()
      else relay.bridge.ended(again)
    } catch (error) {
      if (!relay.failing && !relay.over) this.#failed(relay.crewId, error)
      relay.failing = true
      again()
    }
  }

  drop(crewId: string): void {
    const relay = this.#relays.get(crewId)
    this.#relays.delete(crewId)
    if (!relay) return
    relay.over = true
    relay.bridge?.close()
  }
}
