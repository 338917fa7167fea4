import type { OutgoingHttpHeaders } from 'node:http'
import type { ModelCredential } from '#runtime/types'

/** One model vendor: where its calls come in and go out, how it takes a credential, how it words a failure. */
export interface Vendor {
  provider: string
  /** The path on the sidecar below which its calls come in, and whether that is part of the vendor's own path. */
  mount: string
  keepsMount: boolean
  base: string
  /** The calls that are passed on, and the names of the headers that go with them. */
  calls: readonly Passed[]
  headers: RegExp
  /** The headers that carry a credential; `headers` are those that go with it. */
  authenticate(credential: ModelCredential, headers: OutgoingHttpHeaders): OutgoingHttpHeaders
  /** Sent when the client sent none. */
  defaults: Record<string, string>
  failure(status: number, message: string): object
  /** What a 400 says of a credential, where the vendor has no status of its own for that. */
  badCredential?: { refused?: RegExp; quota?: RegExp }
}

/**
 * A call of a vendor's interface that coding agents' clients make. All others are refused, for they would be made with
 * the real key.
 */
export interface Passed {
  method: 'GET' | 'POST'
  /** `{model}` stands for one part of the path, or for its beginning. */
  path: string
  /** Parameters of the query that go with it; none of them can be a credential. */
  parameters: readonly string[]
}

/**
 * Request headers that any vendor may get. None chooses an account, organization or workspace: that is for whoever owns
 * the key.
 */
const common =
  'accept|accept-encoding|accept-language|content-encoding|content-type|' +
  'user-agent|x-client-request-id|x-stainless-[a-z-]+'

/** The names of the headers that go to a vendor: the common ones and its own. */
export const listed = (own: string) => new RegExp(`^(?:${common}|${own})$`)
