import type { App } from '#kernel/app'
import type { AgentRow } from '../../agents/service.ts'
import { givenNamed } from '../../credentials/named/service.ts'
import type { ServerRow } from '../queries.ts'
import { namedIn } from '../references/service.ts'
import { Unusable } from '../sessions/service.ts'
import type { Variables } from '../variables.ts'

/** Whose credentials fill the variables. */
export type Place = Pick<AgentRow, 'workspace_id' | 'crew_id'>

interface Filled {
  env: Variables
  /** The credentials whose values these are. */
  credentials: string[]
}

/**
 * The variables of a program: those that name a credential, as `${GH_TOKEN}` does, with its value. Throws `Unusable`
 * where the crew has no such credential.
 */
export function filledVariables(
  app: App,
  { workspace_id: workspace, crew_id: crew }: Place,
  server: Pick<ServerRow, 'name'>,
  written: Variables,
): Filled {
  const env = { ...written }
  const credentials: string[] = []
  for (const [variable, name] of Object.entries(namedIn(written))) {
    const given = givenNamed(app, { workspace, crew, name })
    if (!given)
      throw new Unusable(
        `The server ${server.name} cannot be started: ` +
          `its crew has no working credential ${name} that programs are given`,
      )
    env[variable] = given.value
    credentials.push(given.id)
  }
  return { env, credentials }
}
