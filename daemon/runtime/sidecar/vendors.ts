import { providers } from '../../providers/index.ts'
import type { Vendor } from '../../providers/vendor.ts'

export const vendors: readonly Vendor[] = providers.flatMap(({ vendor }) => vendor ?? [])

const mounts = vendors.map((vendor) => {
  const { mount, keepsMount } = vendor
  const prefix = keepsMount ? new RegExp(`^(?=${mount}(?:[/?]|$))`) : new RegExp(`^${mount}(?=[/?]|$)`)
  return { prefix, vendor }
})

export interface Route {
  vendor: Vendor
  /** The vendor's own path, not yet checked. */
  path: string
}

/** The vendor that a request target belongs to. */
export function route(url: string): Route | null {
  for (const { prefix, vendor } of mounts) if (prefix.test(url)) return { vendor, path: url.replace(prefix, '') || '/' }
  return null
}
