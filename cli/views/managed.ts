import type { Reply } from '#contract/define'
import type { managed } from '#contract/managed'
import type { View } from '../output/printer.ts'

type Inventory = Reply<typeof managed.inventory>
export type Connected = Inventory['users'][number]['connected_accounts'][number]

const noKey = 'Nothing is there, or there is no key. Next: muster integrations managed key'

export const accountView: View<Connected> = {
  name: ({ id }) => id,
  empty: noKey,
  columns: {
    ID: ({ id }) => id,
    USER: ({ user_id }) => user_id,
    TOOLKIT: ({ toolkit }) => toolkit.slug,
    STATUS: ({ status }) => status,
    SCHEME: ({ auth_config }) => auth_config.auth_scheme,
  },
}

export const toolkitView: View<Reply<typeof managed.toolkits>['toolkits'][number]> = {
  name: ({ slug }) => slug,
  empty: noKey,
  columns: {
    NAME: ({ slug }) => slug,
    TITLE: ({ name }) => name,
    TOOLS: ({ meta }) => meta.tools_count,
    DESCRIPTION: ({ meta }) => meta.description,
  },
}

interface Described {
  slug: string
  name: string
  description: string
  toolkit: { slug: string }
}

export const describedView: View<Described> = {
  name: ({ slug }) => slug,
  empty: noKey,
  columns: {
    NAME: ({ slug }) => slug,
    TITLE: ({ name }) => name,
    TOOLKIT: ({ toolkit }) => toolkit.slug,
    DESCRIPTION: ({ description }) => description,
  },
}

export const activeView: View<Reply<typeof managed.activeTriggers>['triggers'][number]> = {
  name: ({ id }) => id,
  empty: noKey,
  columns: {
    ID: ({ id }) => id,
    TRIGGER: ({ trigger_name }) => trigger_name,
    USER: ({ user_id }) => user_id,
    ACCOUNT: ({ connected_account_id }) => connected_account_id,
    DISABLED: ({ disabled_at }) => disabled_at ?? null,
  },
}

export const settingsView: View<Reply<typeof managed.settings>> = {
  name: ({ source }) => source,
  columns: {
    CONFIGURED: ({ configured }) => configured,
    SOURCE: ({ source }) => source,
    LABEL: ({ label }) => label ?? null,
  },
}

export const defaultView: View<Reply<typeof managed.default>> = {
  name: ({ default_user_id }) => default_user_id ?? 'none',
  columns: {
    KEY: ({ enabled_flag }) => enabled_flag,
    USER: ({ default_user_id }) => default_user_id,
    SERVER: ({ default_mcp_server_id }) => default_mcp_server_id,
    USERS: ({ connected_user_count }) => connected_user_count,
  },
}

export const grantView: View<Reply<typeof managed.grants>['bindings'][number]> = {
  name: ({ toolkit }) => toolkit,
  empty: 'The agent was given nothing. Next: muster integrations managed bind AGENT USER',
  columns: {
    NAME: ({ toolkit }) => toolkit,
    MODE: ({ mode }) => mode,
    USER: ({ user_id }) => user_id,
    TOOLS: ({ tools }) => tools?.length ?? 'all',
  },
  wide: { ENDPOINT: ({ endpoint }) => endpoint },
}
