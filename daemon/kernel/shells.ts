import type { ShellEnd } from '#contract/entries/shells'
import type { Actor } from './feature.ts'

export interface ShellSize {
  rows: number
  cols: number
}

/** Who sees a shell: one client at a time. */
export interface Viewer {
  /** False when it can take no more for now. */
  output(chunk: Buffer): boolean
  /** Another client of the same person has taken over. */
  replaced(): void
  ended(reason: ShellEnd): void
}

export interface ShellHandle {
  id: string
  /** Slug of the agent as which it works. */
  agent: string
  /** What the same person shows in the same session to go on with it. */
  token: string
  /** Sends output to this viewer from now on; what came since the offset is returned, as far as it is kept. */
  watch(viewer: Viewer, offset: number): { content: Buffer; from: number }
  /** The viewer is gone: without another one the shell ends after a minute. */
  unwatch(viewer: Viewer): void
  /** False when it can take no more for now; `onDrain` tells when it can. */
  write(bytes: Buffer): boolean
  onDrain(work: () => void): void
  /** The viewer can take more. */
  proceed(): void
  resize(size: ShellSize): Promise<void>
  end(): Promise<void>
}

/** Terminals of people in crews. Refusals are problems. */
export interface Shells {
  open(actor: Actor, asked: { crew_id: string; agent_slug?: string | undefined }, size: ShellSize): Promise<ShellHandle>
  attach(actor: Actor, id: string, token: string): ShellHandle
}
