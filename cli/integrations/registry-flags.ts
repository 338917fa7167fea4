import { Flags } from '@oclif/core'
import { trustTiers } from '#client/words'
import { given, oneOf, windowFlags } from '../flags.ts'

/** Flags of which servers of the registry are meant. */
export const registryFlags = {
  'trust-tier': oneOf(trustTiers, { helpValue: 'TIER', description: `only of this tier: ${trustTiers.join(', ')}` }),
  featured: Flags.boolean({ allowNo: true, description: 'only those that are featured, or are not' }),
  ...windowFlags,
}

interface Given {
  'trust-tier'?: (typeof trustTiers)[number] | undefined
  featured?: boolean | undefined
}

/** The query that the flags say. */
export const registryQuery = ({ 'trust-tier': trust_tier, featured }: Given) =>
  given({
    trust_tier,
    featured: featured === undefined ? undefined : featured ? ('true' as const) : ('false' as const),
  })

/** The most servers that the service gives at once. */
export const registryWindow = 200
