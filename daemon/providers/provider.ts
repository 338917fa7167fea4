import type { CredentialProvider, CredentialType } from '#contract/credentials'
import type { ModelTier } from '#contract/routine-definition'
import type { VendorSetting } from '#kernel/settings'
import type { Prices } from './prices.ts'
import type { Vendor } from './vendor.ts'
import type { Hosted } from './wires.ts'

/** What Muster knows of one provider. All other code asks this table, and names no provider itself. */
export interface Provider {
  name: CredentialProvider
  /** Reachable in every crew: what its own clients talk to. */
  hosts?: readonly string[]
  /** Where its calls go, unless the operator says otherwise. */
  address?: VendorSetting
  /** How the crews' sidecars call its models. */
  vendor?: Vendor
  models?: Models
  /** How the daemon itself asks one of its models. */
  completion?: Completion
  /** How its models judge what agents want to do. */
  judging?: Hosted
  /** The server's own key, for what it asks on nobody's behalf. */
  serverKey?: VendorSetting
  /** What its models cost by its own list. */
  prices?: Prices
  /** One harmless request that is answered differently for good and bad keys; an address, or a path below `address`. */
  probe?(value: string, type: CredentialType): { url: string; headers: Headers; refusals?: readonly number[] }
  /** The variable of its client for the token of a person's subscription. */
  loginVariable?: string
  /** Tells the token of a person's subscription, which travels as a bearer token, by its look. */
  isLogin?(token: string): boolean
}

export type Headers = Record<string, string>

/** How a model is asked for a text, and its answer read. */
export interface Completion {
  /** The model that is asked unless the operator names one: fast, and good enough to sum up. */
  model: string
  /** The one that writes what people keep, where that is another. */
  writer?: string
  request(ask: Asking, token: string): { path: string; headers: Headers; body: object }
  /** The text of an answer; null when there is none in it. */
  text(answer: unknown): string | null
}

export interface Asking {
  model: string
  /** What it is to do. */
  system: string
  /** What it is to do it with. */
  prompt: string
  maxTokens: number
}

/** Texts of a list of objects, one behind the other; null when there is none. */
export function textsOf(parts: unknown): string | null {
  if (!Array.isArray(parts)) return null
  const texts = parts.flatMap((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : []))
  return texts.length ? texts.join('') : null
}

export interface Listed {
  id: string
  display_name?: string
}

/** The models that a provider is known to serve. */
export interface Models {
  /** What the names of its models begin with, where that tells them from those of others. */
  family?: RegExp
  /** Most capable first: what counts when the provider cannot be asked. */
  curated: readonly string[]
  /** Which of them does work of each grade. */
  tiers?: Readonly<Record<ModelTier, string>>
  /** Whether a model exists; `live` is the provider's own list, null when it could not be asked. */
  knows(model: string, live: readonly string[] | null): boolean
  /** How the provider is asked for its list, at a path below `address`; absent where its list is of no use. */
  ask?(token: string): { path: string; headers: Headers }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
