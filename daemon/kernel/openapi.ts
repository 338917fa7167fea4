import { endpoints } from '#contract'
import { type Endpoint, urlOf } from '#contract/define'
import { Problem, problems } from '#contract/problems'
import { version } from './version.ts'

type Json = Record<string, unknown>

const always = ['rate_limited', 'internal'] as const
const signedIn = ['no_credentials', 'session_invalid', ...always] as const

/** The whole interface as an OpenAPI 3.1 document, read from the contract; needs no running server. */
export function openapi(): Json {
  const paths: Record<string, Json> = {}
  for (const { name, feature, endpoint } of endpoints) {
    const path = urlOf(endpoint).replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describe(name, feature, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Muster', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ feature }) => feature))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: plain(Problem) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A CLI token: svc_cli_… or svc_admin_…' } },
    },
  }
}

function describe(name: string, tag: string, endpoint: Endpoint): Json {
  const { summary, access, query, body, bodyOptional } = endpoint
  const workspace = access === 'public' || access === 'signed-in' ? [] : [workspaceParameter]
  return {
    operationId: name,
    summary,
    tags: [tag],
    security: access === 'public' ? [] : [{ token: [] }],
    parameters: [...pathParameters(endpoint.path), ...queryParameters(query as Json | undefined), ...workspace],
    ...(body && { requestBody: { required: !bodyOptional, content: { 'application/json': { schema: plain(body) } } } }),
    responses: { ...success(endpoint), ...refusals(endpoint) },
    'x-access': access,
    ...(endpoint.scope && { 'x-scope': endpoint.scope }),
    'x-journal': endpoint.journal || (endpoint.journal === false ? false : undefined),
  }
}

const workspaceParameter = {
  name: 'X-Workspace-ID',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'Workspace, by id or slug; the query parameter workspace_id wins',
}

const pathParameters = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters(query: Json | undefined): Json[] {
  const required = (query?.['required'] as string[] | undefined) ?? []
  return Object.entries((query?.['properties'] as Json | undefined) ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: plain(schema),
  }))
}

function success({ status, reply, kind, summary }: Endpoint): Json {
  if (reply) return { [status]: { description: summary, content: { 'application/json': { schema: plain(reply) } } } }
  return { [status]: { description: kind === 'stream' ? 'A stream' : kind === 'text' ? 'Text' : 'Done' } }
}

function refusals({ access, throws = [] }: Endpoint): Json {
  const member = ['workspace_required', 'not_a_member', 'insufficient_role'] as const
  const codes = [...throws, ...(access === 'public' ? always : signedIn), ...(access === 'public' || access === 'signed-in' ? [] : member)]
  const byStatus = new Map<number, string[]>()
  for (const code of new Set(codes)) byStatus.set(problems[code][0], [...(byStatus.get(problems[code][0]) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      { description: list.join(', '), content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
    ]),
  )
}

/** Schemas carry symbols for the type system; documents do not. */
const plain = (schema: unknown): unknown => JSON.parse(JSON.stringify(schema))
