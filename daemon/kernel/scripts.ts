/** A script of a crew, as it is to be run in the crew's container. */
export interface Script {
  /** Below the folder that the crew shares. */
  path: string
  interpreter: string
  args: readonly string[]
  /** May hold secrets: no other user of the container can read it. */
  env: Readonly<Record<string, string>>
  stdin: string
  /** The hash that the file must have; what runs then is a copy of it. */
  sha256?: string | undefined
  seconds: number
}

/** A script that was begun: what the runtime calls it, and as which of the crew's users for scripts it runs. */
export interface BegunScript {
  program: string
  slot: number
}

/**
 * How a script ended. `never`: it did not begin. `lost`: it had begun, and nobody knows how far it came. `stopped`: it
 * was ended, because it was no longer wanted or its crew was stopped.
 */
export type ScriptEnd =
  | { kind: 'exit'; code: number; stdout: string; stderr: string }
  | { kind: 'signal'; signal: string; stderr: string }
  | { kind: 'too_late' | 'too_much' }
  | { kind: 'never' | 'lost' | 'stopped'; reason: string }

export interface ScriptWork {
  crewId: string
  /** As an earlier daemon stored it; null for a script that is to begin. */
  begun: BegunScript | null
  /** Output of more bytes ends it. */
  mostBytes: number
  /** What is to be run. A throw keeps it from beginning, with the error's message as the reason. */
  prepare(): Promise<Script>
  /** Stores that it begins, before it does; false keeps it from beginning. */
  begins(begun: BegunScript): Promise<boolean>
  /** Stores how it ended. What it left in the container is removed afterwards. */
  ended(end: ScriptEnd): Promise<void>
  /** It is no longer wanted. */
  cancelled: AbortSignal
  /** It is left to a later daemon. */
  detached: AbortSignal
}

/** Scripts in the containers of crews, each as a user that no agent and no other script is meanwhile. */
export interface Scripts {
  /** Carries out a script to its stored end. A crew runs a few at a time; others wait for their turn. */
  carryOut(work: ScriptWork): Promise<void>
  /** Whether a script of the crew is at work or about to be. */
  isLive(crewId: string): boolean
}
