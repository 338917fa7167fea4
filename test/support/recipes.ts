import type { Static } from 'typebox'
import type { Recipe } from '#contract/recipes'
import { catalogue } from '../../daemon/features/recipes/catalogue.ts'
import { ending } from './endings.ts'

/** A recipe of two servers, the second at this address, which is in the catalogue for this test alone. */
export function recipeWithServer(endpoint: string): string {
  const all = catalogue() as Static<typeof Recipe>[]
  const servers = [
    { name: 'local', display_name: 'Local', transport: 'stdio' as const, command: 'npx', args: ['-y', 'local'] },
    { name: 'remote', display_name: 'Remote', transport: 'streamable-http' as const, endpoint },
  ]
  all.push({ ...all[0]!, slug: 'remote-crew', mcp_servers: servers })
  ending(() => void all.pop())
  return 'remote-crew'
}
