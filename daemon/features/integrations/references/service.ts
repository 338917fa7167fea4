import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { membership } from '#kernel/auth/membership'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { isOwnNamed } from '../../credentials/named/service.ts'
import type { ServerRow } from '../queries.ts'
import { openVariables, type Variables } from '../variables.ts'

interface Referring {
  /** Variables that take the value of a credential, and the names of these. */
  references: Record<string, string>
  /** Variables with values of their own. */
  valued: string[]
}

/** The variables that name a credential, as `${GH_TOKEN}` does, and its name. */
export const namedIn = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([variable, value]) => {
      const name = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1]
      return name === undefined ? [] : [[variable, name]]
    }),
  )

/** What fills the variables of a server, without their values. */
export function referencesIn(app: App, server: Pick<ServerRow, 'id' | 'env_sealed'>): Referring {
  const variables = openVariables(app, server)
  const references = namedIn(variables)
  return { references, valued: Object.keys(variables).filter((name) => references[name] === undefined) }
}

/** Who is given what belongs to a server. */
export const placeOf = ({ transport, endpoint, command }: { [_ in 'transport' | 'endpoint' | 'command']?: unknown }) =>
  transport === 'stdio' ? `stdio ${command}` : originOf(String(endpoint))

const originOf = (endpoint: string): string => (URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint)

/** A program reads what it is given: below ADMIN one gives it credentials that one stored oneself. */
export function checkNamed(app: App, { workspace, id }: Pick<Actor, 'workspace' | 'id'>, variables: Variables): void {
  const role = membership(app.db, workspace, id)?.role
  if (role && allows('ADMIN', role)) return
  const foreign = Object.values(namedIn(variables)).find((name) => !isOwnNamed(app, { workspace, name }, id))
  if (foreign !== undefined)
    throw problem('insufficient_role', {
      field: 'env_json',
      detail: `Below ADMIN you name credentials that you stored yourself, and ${foreign} is none`,
    })
}
