import type { AgentCall, Endpoint } from './define.ts'

/** Calls a minute, of one agent and of all agents of its crew, where an operation does not state others. */
export const defaultRate: NonNullable<AgentCall['rate']> = { agent: 30, crew: 120 }

/** What the daemon says itself of an agent that calls. What the agent says of these counts for nothing. */
export const callerMembers = [
  'workspace_id',
  'crew_id',
  'agent_id',
  'run_id',
  'chat_id',
  'call_id',
  'container_id',
] as const
export type CallerMember = (typeof callerMembers)[number]

/** A tool that models are offered: where its call goes and what it takes, as JSON Schema. */
export interface AgentTool {
  name: string
  description: string
  inputSchema: { type: 'object'; properties: Record<string, object>; required?: readonly string[] }
  /** The agents' route that carries it out; the arguments are its body. */
  route: string
}

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
}

type Called = Endpoint & { agent: AgentCall }

export const agentEndpoints = (endpoints: readonly { endpoint: Endpoint }[]): Called[] =>
  endpoints.flatMap(({ endpoint }) => (endpoint.agent ? [endpoint as Called] : []))

/** The paths that the sidecar serves to agents. */
export const routesOf = (endpoints: readonly { endpoint: Endpoint }[]): string[] =>
  agentEndpoints(endpoints).map(({ agent }) => agent.route)

/** Routes that programs may also read, `GET route/VALUE`, with the member of the body that VALUE fills. */
export const readsOf = (endpoints: readonly { endpoint: Endpoint }[]): Record<string, string> =>
  Object.fromEntries(
    agentEndpoints(endpoints).flatMap(({ agent: { route, reads } }) => (reads ? [[route, reads]] : [])),
  )

/** The tools that models are offered. What else an operation takes is for programs. */
export const toolsOf = (endpoints: readonly { endpoint: Endpoint }[]): AgentTool[] =>
  agentEndpoints(endpoints).flatMap(({ agent: { tool, says = '', members = {}, route }, body }) => {
    if (!tool) return []
    const { properties = {}, required = [] } = (body ?? {}) as Schema
    const names = Object.keys(members)
    const described = names.map((name) => [name, { ...forModel(properties[name] ?? {}), description: members[name] }])
    const needed = names.filter((name) => required.includes(name))
    return [
      {
        name: tool,
        description: says,
        inputSchema: { type: 'object', properties: Object.fromEntries(described), required: needed },
        route,
      },
    ]
  })

const shown = ['minimum', 'maximum', 'minLength', 'maxLength'] as const

/** What every model's vendor takes of a schema; a member that is nothing is left out instead. */
function forModel(schema: Schema): Schema {
  const { type, anyOf } = schema
  const kept = Object.fromEntries(
    shown.flatMap((word) => (word in schema ? [[word, (schema as Record<string, unknown>)[word]]] : [])),
  )
  return {
    ...(schema.enum && { type: 'string' }),
    ...(type && { type: Array.isArray(type) ? type.find((one) => one !== 'null')! : type }),
    ...(schema.enum && { enum: schema.enum.filter((one) => one !== null) }),
    ...(anyOf && { anyOf: anyOf.map(forModel) }),
    ...kept,
  }
}
