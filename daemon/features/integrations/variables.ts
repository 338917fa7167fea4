import { hiddenValue } from '#contract/integrations'
import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { parseObject } from './json-text.ts'
import type { ServerRow } from './queries.ts'

export type Variables = Record<string, string>

const most = 50
const refuse = (detail: string) => problem('invalid_field', { field: 'env_json', detail })

function vaultOf({ vault }: App) {
  if (!vault)
    throw problem('encryption_unavailable', {
      detail: 'This server has no encryption key, so it can neither store nor use variables of integrations',
    })
  return vault
}

/** The variables that a body names; those with a hidden value keep the one of `before`. */
export function readVariables(json: string, before: Variables): Variables {
  const given = Object.entries(parseObject('env_json', json))
  if (given.length > most) throw refuse(`There may be ${most} variables`)
  return Object.fromEntries(
    given.map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) || /^SVC_/i.test(name))
        throw refuse('Names of variables have letters, digits and _, and do not begin with SVC_')
      if (typeof value !== 'string' || value.length > 8192 || value.includes('\0'))
        throw refuse(`The value of ${name} must be a text of at most 8192 characters`)
      if (value !== hiddenValue) return [name, value]
      const kept = before[name]
      if (kept === undefined) throw refuse(`${name} has no value yet that could be kept`)
      return [name, kept]
    }),
  )
}

const rowOf = (id: string) => `mcp_servers:${id}`

/** The columns that keep these variables for a server. */
export function sealVariables(
  app: App,
  id: string,
  variables: Variables,
): Pick<ServerRow, 'env_names_json' | 'env_sealed'> {
  const names = Object.keys(variables)
  if (!names.length) return { env_names_json: null, env_sealed: null }
  return {
    env_names_json: JSON.stringify(names),
    env_sealed: vaultOf(app).seal(JSON.stringify(variables), rowOf(id)),
  }
}

/** The variables of a server with their values. */
export function openVariables(app: App, { id, env_sealed }: Pick<ServerRow, 'id' | 'env_sealed'>): Variables {
  return env_sealed === null ? {} : (JSON.parse(vaultOf(app).open(env_sealed, rowOf(id))) as Variables)
}

/** `env_json` as people see it: the names. */
export const shownVariables = ({ env_names_json }: Pick<ServerRow, 'env_names_json'>): string | null =>
  env_names_json === null
    ? null
    : JSON.stringify(Object.fromEntries((JSON.parse(env_names_json) as string[]).map((name) => [name, hiddenValue])))
