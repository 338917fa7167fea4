import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type {
  Binding as BindingSchema,
  CrewIntegration,
  Integration,
  integrations,
  ResolvedIntegration,
} from '#contract/integrations'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type Server = Static<typeof Integration>
export type CrewServer = Static<typeof CrewIntegration>
export type Binding = Static<typeof BindingSchema>

type Any = Pick<Server, 'name' | 'display_name' | 'transport' | 'endpoint' | 'command' | 'args_json' | 'enabled'>

/** Where a server is: its address, or what is run. */
const place = ({ transport, endpoint, command, args_json }: Omit<Any, 'enabled'>): string | null =>
  transport === 'stdio' ? [command, ...(JSON.parse(args_json ?? '[]') as string[])].join(' ') : endpoint

const common = {
  NAME: ({ name }: Any) => name,
  DISPLAY: ({ display_name }: Any) => display_name,
  TRANSPORT: ({ transport }: Any) => transport,
  PLACE: (row: Any) => place(row),
  ENABLED: ({ enabled }: Any) => enabled,
}
const wide = {
  VARIABLES: ({ env_json }: Pick<Server, 'env_json'>) => Object.keys(JSON.parse(env_json ?? '{}')).join(', ') || null,
  SETTINGS: ({ config_json }: Pick<Server, 'config_json'>) => config_json,
  ID: ({ id }: { id: string }) => id,
}

const serverColumns = {
  ...common,
  AGENTS: ({ agent_binding_count }: Server) => agent_binding_count || 'all',
  CREWS: ({ crew_server_count }: Server) => crew_server_count,
  AGE: ({ created_at }: Server) => age(created_at),
}

export const serverView: View<Server> = {
  name: ({ name }) => name,
  empty: 'There are no integrations. Next: muster integrations create NAME --url URL',
  columns: serverColumns,
  wide,
  detail: { ...serverColumns, ...wide },
}

const crewColumns = {
  ...common,
  AGENTS: ({ agent_binding_count }: CrewServer) => agent_binding_count || 'all',
  AUTH: ({ auth_status }: CrewServer) => auth_status,
  AGE: ({ created_at }: CrewServer) => age(created_at),
}

export const crewServerView: View<CrewServer> = {
  name: ({ name }) => name,
  empty: 'The crew has no integrations of its own. Next: muster integrations create NAME --crew CREW --url URL',
  columns: crewColumns,
  wide,
  detail: { ...crewColumns, ...wide },
}

/** The view of a server, wherever it belongs to. */
export const viewOf = (crew: string | undefined): View<Server | CrewServer> =>
  (crew === undefined ? serverView : crewServerView) as View<Server | CrewServer>

type OfCrews = Reply<typeof integrations.crews>[number]

export const crewsView: View<OfCrews> = {
  name: ({ name }) => name,
  empty: 'No crew has integrations of its own.',
  columns: {
    NAME: ({ name }) => name,
    CREW: ({ crew_slug }) => crew_slug,
    TRANSPORT: ({ transport }) => transport,
    PLACE: (row) => place(row),
    ENABLED: ({ enabled }) => enabled,
    AUTH: ({ auth_status }) => auth_status,
    AGE: ({ created_at }) => age(created_at),
  },
  wide,
}

export const bindingView: View<Binding> = {
  name: ({ server_name }) => server_name,
  empty: 'The agent is bound to no integration. Next: muster integrations bind AGENT INTEGRATION',
  columns: {
    NAME: ({ server_name }) => server_name,
    SCOPE: ({ mcp_server_scope }) => mcp_server_scope,
    CREDENTIAL: ({ credential_id, credential_name }) => credential_name ?? credential_id,
    TYPE: ({ cred_type }) => cred_type,
    ENABLED: ({ enabled }) => enabled,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    HEADER: ({ cred_header }) => cred_header,
    VARIABLE: ({ env_var_name }) => env_var_name,
    SETTINGS: ({ config_override_json }) => config_override_json,
    ID: ({ id }) => id,
  },
}

export const resolvedView: View<Static<typeof ResolvedIntegration>> = {
  name: ({ name }) => name,
  empty: 'The agent may use no integration. Next: muster integrations list',
  columns: {
    NAME: ({ name }) => name,
    TRANSPORT: ({ transport }) => transport,
    CREDENTIAL: ({ credential_id, credential_name }) => credential_name ?? credential_id,
    WHY: ({ reason }) => reason,
    PLACE: (row) => place(row),
  },
  wide: { SETTINGS: ({ config_json }) => config_json, ID: ({ server_id }) => server_id },
}

type Tested = Reply<typeof integrations.test>

export const testedView: View<Tested> = {
  name: ({ status }) => status,
  columns: {
    STATUS: ({ status }) => status,
    MESSAGE: ({ message }) => message ?? null,
    SERVER: ({ server_info }) => (server_info ? `${server_info.name} ${server_info.version}` : null),
  },
}
