import { Buffer } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { Vendor } from '../../providers/vendor.ts'
import type { Unfit } from '../types.ts'

const byStatus: Readonly<Record<number, Unfit>> = { 401: 'refused', 402: 'quota', 403: 'refused', 429: 'limited' }

/** A 400 that says more than this is about the request. */
const readLimit = 16 * 1024

interface Unfitness {
  /** Null when the answer says nothing against the credential. */
  reason: Unfit | null
  /** The whole body when it had to be read. */
  body: Buffer | null
}

/** Whether an answer says that the credential is of no use now. */
export async function unfitness({ badCredential }: Vendor, answered: IncomingMessage): Promise<Unfitness> {
  const status = answered.statusCode!
  const length = Number(answered.headers['content-length'] ?? Number.NaN)
  if (status !== 400 || !badCredential || answered.headers['content-encoding'] || !(length <= readLimit))
    return { reason: byStatus[status] ?? null, body: null }
  const body = await bodyOf(answered)
  const text = body.toString()
  const reason = badCredential.refused?.test(text) ? 'refused' : badCredential.quota?.test(text) ? 'quota' : null
  return { reason, body }
}

/** What came of it, if it breaks off. */
async function bodyOf(answered: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of answered) chunks.push(chunk as Buffer)
  } catch {}
  return Buffer.concat(chunks)
}
