import type { CredentialProvider, CredentialType } from '#contract/credentials'
import type { ModelTier } from '#contract/routine-definition'
import type { VendorSetting } from '#kernel/settings'
import type { Prices } from './prices.ts'
import type { Vendor } from './vendor.ts'

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
