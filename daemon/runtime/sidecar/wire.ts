import type { SidecarAnswer, SidecarCall, SidecarConfig, SidecarReport } from '../types.ts'

/**
 * Messages on the sidecar's standard streams, one JSON object per line. Either side may have been killed within a line:
 * the daemon begins with an empty line and a hello, and ignores everything before the hello that repeats its nonce.
 */
export type ToSidecar =
  | { type: 'hello'; nonce: string }
  | { type: 'config'; id: string; config: SidecarConfig }
  /** All reports up to this one are stored. */
  | { type: 'ack'; seq: number }
  | { type: 'answer'; id: string; answer: SidecarAnswer }

export type FromSidecar =
  /** The program has (re)started and has no configuration. */
  | { type: 'ready'; port: number }
  | { type: 'hello'; nonce: string; configured: boolean }
  | { type: 'configured'; id: string }
  | { type: 'rejected'; id: string; reason: string }
  | { type: 'report'; seq: number; report: SidecarReport }
  | { type: 'call'; call: SidecarCall }
  /** The agent no longer waits for the answer. */
  | { type: 'hangup'; id: string }
