import type { SessionLoss } from '#contract/entries/chats'
import type { Usage } from '#contract/frames'
import type { App } from '#kernel/app'
import type { Client } from '../../features/chats/sessions/service.ts'
import type { Started } from '../../features/runs/receipts/service.ts'
import type { Run } from '../../features/runs/service.ts'
import type { Adapter } from '../adapters/adapter.ts'
import type { Overflow } from '../adapters/history.ts'
import type { AgentSpec, RunSpec, Runtime } from '../types.ts'
import type { Slots } from './slots.ts'

export interface ClientSession {
  id: string
  /** The folder that holds it, among those of the agent's runs. */
  program: string
  resumed: boolean
  /** Whose it is, when it is kept for the next turn of the run's chat. */
  client?: Client
  /** What it had used of the model service before the run began. */
  used?: Usage | null
}

/** Kept with a run, so that its output can be read again after a restart. Holds no secret. */
export interface LaunchFacts {
  agent: AgentSpec
  adapter: string
  /** Whose models it uses. */
  provider?: string
  mcpServers: string[]
  timeoutSeconds: number
  /** The client asks before each call of a tool. */
  holds?: boolean
  /** What the client keeps of its work; null when it keeps nothing. */
  session: ClientSession | null
  /** For the journal's `exec.command`. */
  command: { cmd: string; container_id: string | null; adapter: string; model: string | null }
}

/** What a run's program is started with. */
export interface Brief {
  spec: RunSpec
  /** Credentials that the run is given, itself or through its sidecar. */
  credentialIds: string[]
  /** Those of which it is given the value. */
  handedIds: string[]
  facts: LaunchFacts
  /** What receipts tell of it. */
  started: Started
  /** Numbers of the learned rules that stand in its prompt. */
  learned: readonly number[]
  /** What of the chat did not fit into the prompt. */
  overflow: Overflow | null
  /** Why the client cannot go on with the session that it kept for the chat; null when it can, or kept none. */
  lost: SessionLoss | null
}

/** What a run needs of the rest of the daemon. */
export interface RunParts {
  app: App
  runtime: Runtime
  slots: Slots
  /** Resolves when the crew's container is up and its sidecar knows the agents' keys. Throws problems. */
  ready(crewId: string): Promise<void>
  /** Why a crew will not come up again by itself; null when it may. */
  goneFor(crewId: string): string | null
  /** Waits for room on the disk, telling why; then says why the crew may begin nothing, or null. */
  room(crewId: string, waiting: (why: string) => void, signal: AbortSignal): Promise<string | null>
  /** Throws problems. */
  brief(run: Run): Brief
  adapterOf(name: string): Adapter | undefined
  /** Values that must not show up in what the agent prints. */
  secretsOf(run: Run): readonly string[]
}
