import type { App } from '#kernel/app'
import type { ServerRow } from '../queries.ts'
import { openVariables } from '../variables.ts'

interface Referring {
  /** Variables that take the value of a credential, and the names of these. */
  references: Record<string, string>
  /** Variables with values of their own. */
  valued: string[]
}

/** What fills the variables of a server, without their values. */
export function referencesIn(app: App, server: Pick<ServerRow, 'id' | 'env_sealed'>): Referring {
  const found: Referring = { references: {}, valued: [] }
  for (const [name, value] of Object.entries(openVariables(app, server))) {
    const credential = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1]
    if (credential) found.references[name] = credential
    else found.valued.push(name)
  }
  return found
}

/** Who is given what belongs to a server. */
export const placeOf = ({ transport, endpoint, command }: { [_ in 'transport' | 'endpoint' | 'command']?: unknown }) =>
  transport === 'stdio' ? `stdio ${command}` : originOf(String(endpoint))

const originOf = (endpoint: string): string => (URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint)
