import { refusalIn } from '../sidecar/refusal-mark.ts'
import type { Failure } from './adapter.ts'

/** The failure that a refusal of our own sidecar is, however a client words it; null of one by a model service. */
export function ownRefusal(text: string): Failure | null {
  const reason = refusalIn(text)
  return reason === undefined ? null : { kind: reason.startsWith('The upstream ') ? 'upstream' : 'sidecar', reason }
}
