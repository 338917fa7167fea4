import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { RegistryServer, registry } from '#contract/registry'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type Listed = Static<typeof RegistryServer>

/** Where a server is: its address, or its package. */
const place = ({ endpoint, package_registry, package_name, package_version }: Listed): string =>
  endpoint ?? `${package_registry}:${package_name}${package_version ? `@${package_version}` : ''}`

export const registryView: View<Listed> = {
  name: ({ name }) => name,
  empty: 'The registry lists nothing of this kind, or was never fetched. Next: muster mcp registry sync',
  columns: {
    NAME: ({ name }) => name,
    TIER: ({ trust_tier }) => trust_tier,
    TRANSPORT: ({ transport }) => transport,
    DESCRIPTION: ({ description }) => description,
    AGE: ({ synced_at }) => age(synced_at),
  },
  wide: {
    DISPLAY: ({ display_name }) => display_name,
    PLACE: place,
    VERIFIED: ({ is_verified }) => is_verified,
    FEATURED: ({ is_featured }) => is_featured,
    SOURCE: ({ source_url }) => source_url,
    HOMEPAGE: ({ homepage_url }) => homepage_url,
  },
}

type Started = Reply<typeof registry.sync>

export const syncView: View<Started> = {
  name: ({ status }) => status,
  columns: { STATUS: ({ status }) => status, MESSAGE: ({ message }) => message },
}
