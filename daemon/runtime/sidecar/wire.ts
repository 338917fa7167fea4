import type { SidecarAnswer, SidecarCall, SidecarConfig, SidecarReport } from '../types.ts'

/**
 * What goes over the sidecar's standard streams, one JSON object a line. Either side may have been killed in the middle
 * of
 * a line: the daemon begins with an empty line and a hello, and reads nothing before the hello that repeats its nonce.
 */
export type ToSidecar =
  | { type: 'hello'; nonce: string }
  | { type: 'config'; id: string; config: SidecarConfig }
  /** Everything up to this report is taken care of and need not be sent again. */
  | { type: 'ack'; seq: number }
  | { type: 'answer'; id: string; answer: SidecarAnswer }

export type FromSidecar =
  /** The program has (re)started and knows nothing. */
  | { type: 'ready'; port: number }
  | { type: 'hello'; nonce: string; configured: boolean }
  | { type: 'configured'; id: string }
  | { type: 'rejected'; id: string; reason: string }
  | { type: 'report'; seq: number; report: SidecarReport }
  | { type: 'call'; call: SidecarCall }
  /** The agent does not wait for the answer any more. */
  | { type: 'hangup'; id: string }
