import { type TSchema, Type } from 'typebox'
import { type Endpoint, urlOf } from './define.ts'
import { endpoints } from './index.ts'
import { assistantWait } from './mcp.ts'

/** A tool of an assistant: an operation, or what is made of some. */
export interface AssistantTool {
  name: string
  description: string
  /** Operations that it carries out; who may call all of them may use it. */
  operations: readonly string[]
  readOnly: boolean
  inputSchema: { type: 'object'; properties: Record<string, TSchema>; required: string[] }
}

/** The operations that assistants are offered as they are. */
const offered = [
  'crews.list',
  'agents.list',
  'journal.list',
  'journal.show',
  'runs.list',
  'runs.show',
  'runs.logs',
  'inbox.list',
  'inbox.show',
  'chats.list',
  'chats.messages',
  'inbox.act',
] as const

const called = (name: string): Endpoint => endpoints.find((it) => it.name === name)!.endpoint

interface ObjectSchema {
  properties?: Record<string, TSchema>
  required?: string[]
}

const paramsOf = (endpoint: Endpoint): string[] => [...urlOf(endpoint).matchAll(/:(\w+)/g)].map(([, name]) => name!)

/** What an operation takes, wherever it stands in the request. Members that name the workspace are not asked for. */
function schemaOf(endpoint: Endpoint): AssistantTool['inputSchema'] {
  const params = paramsOf(endpoint)
  const [query, body] = [endpoint.query, endpoint.body].map((it) => (it ?? {}) as ObjectSchema)
  const properties = {
    ...query!.properties,
    ...body!.properties,
    ...Object.fromEntries(params.map((name) => [name, Type.String({ description: 'Its id' })])),
  }
  delete properties['workspace_id']
  return { type: 'object', properties, required: [...params, ...(query!.required ?? []), ...(body!.required ?? [])] }
}

const direct = offered.map((name): AssistantTool => {
  const endpoint = called(name)
  return {
    name: name.replace('.', '_'),
    description: endpoint.summary,
    operations: [name],
    readOnly: endpoint.method === 'GET',
    inputSchema: schemaOf(endpoint),
  }
})

const send = schemaOf(called('chats.send')).properties
const show = schemaOf(called('runs.show'))

/** Every tool that assistants are offered. */
export const assistantTools: readonly AssistantTool[] = [
  ...direct,
  {
    name: 'ask',
    description: 'Ask an agent something, which starts a run: a new chat unless one is named. Then wait for the run',
    operations: ['chats.create', 'chats.send'],
    readOnly: false,
    inputSchema: {
      type: 'object',
      properties: {
        agentId: Type.String({ description: 'The agent, where no chat is named' }),
        chatId: Type.String({ description: 'The chat that goes on' }),
        content: send['content']!,
      },
      required: ['content'],
    },
  },
  {
    name: 'wait',
    description: `Wait until a run is over or needs a person, at most ${assistantWait} seconds; call it again to go on`,
    operations: ['runs.show'],
    readOnly: true,
    inputSchema: show,
  },
]

/** Where the arguments of a tool go in a request of an operation. */
export function requestOf(operation: string, args: Record<string, unknown>) {
  const endpoint = called(operation)
  const take = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (name in args ? [[name, args[name]]] : [])))
  const members = (schema: TSchema | undefined) => Object.keys((schema as ObjectSchema | undefined)?.properties ?? {})
  return {
    endpoint,
    params: take(paramsOf(endpoint)),
    query: endpoint.query && take(members(endpoint.query)),
    body: endpoint.body && take(members(endpoint.body)),
  }
}
