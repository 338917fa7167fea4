import type { Static } from 'typebox'
import type { CredentialScopes } from '#contract/credential-scopes'
import { human, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type Scopes = Static<typeof CredentialScopes>
type Place = Pick<Scopes['proposed'][number], 'host' | 'method' | 'path'>

const placed = ({ method, host, path }: Place): string => `${method} ${host}${path}`
const part = (title: string, lines: readonly string[]): string =>
  lines.length ? [`${title}:`, ...lines.map((line) => `  ${line}`), ''].join('\n') : ''

/** What a credential was used for, and what it may be used for. */
export const scopesView: View<Scopes> = {
  name: ({ credential_name }) => credential_name,
  columns: {
    Credential: ({ credential_name }) => credential_name,
    'May be used for': ({ enforced }) => (enforced ? 'its scopes' : 'everything'),
    Since: ({ enforced_at }) => when(enforced_at),
    'Days looked at': ({ days }) => days,
    'Given to programs': ({ unseen }) => unseen,
  },
  below: ({ active, uses, proposed, waiting }) =>
    [
      part('Scopes', active.map(placed)),
      part(
        'Used for',
        uses.map((it) => `${placed(it)}  ${it.uses}x, last ${human(when(it.last_used_at)).text}`),
      ),
      part('Narrowest rules', proposed.map(placed)),
      part(
        'People have to decide',
        waiting.map((it) => `${it.id}  ${placed(it)}`),
      ),
    ]
      .filter(Boolean)
      .join('\n'),
}
