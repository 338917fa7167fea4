import { endpoints } from '#contract'
import { type Endpoint, urlOf } from '#contract/define'
import { DryRun, dryRunParameter, noDryRun } from '#contract/dry-run'
import { type Code, Problem, problems } from '#contract/problems'
import { version } from '../version.ts'
import { entryName, journalSchemas } from './journal-schemas.ts'

type Json = Record<string, unknown>

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
      schemas: { Problem: plain(Problem), DryRun: plain(DryRun), ...bare(journalSchemas()) },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A CLI token: svc_cli_… or svc_admin_…' },
        internal: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Internal-Token',
          description: "For the daemon and its own programs, on the daemon's machine only",
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Secure-authjs.session-token',
          description: 'A browser session; without __Secure- on plain HTTP',
        },
      },
    },
  }
}

const isRole = (access: Endpoint['access']): boolean =>
  access !== 'public' && access !== 'signed-in' && access !== 'internal'

function describe(name: string, tag: string, endpoint: Endpoint): Json {
  const { summary, access, query, body, bodyOptional, upload, bytes } = endpoint
  const workspace = !isRole(access) || endpoint.path.includes(':workspaceId') ? [] : workspaceParameters(endpoint)
  return {
    operationId: name,
    summary,
    tags: [tag],
    security: access === 'public' ? [] : access === 'internal' ? [{ internal: [] }] : [{ token: [] }, { session: [] }],
    parameters: [
      ...pathParameters(endpoint.path),
      ...queryParameters(query as Json | undefined),
      ...workspace,
      ...(hasDryRun(endpoint) ? [dryRun] : []),
    ],
    ...(body && { requestBody: { required: !bodyOptional, content: { 'application/json': { schema: plain(body) } } } }),
    ...(upload && { requestBody: { required: true, content: { 'multipart/form-data': { schema: formOf(upload) } } } }),
    ...(bytes && { requestBody: { required: true, content: { 'application/octet-stream': {} } } }),
    responses: { ...success(endpoint), ...(hasDryRun(endpoint) && tried(endpoint)), ...refusals(endpoint) },
    'x-access': access,
    ...(endpoint.crew && { 'x-crew': endpoint.crew }),
    ...(endpoint.capability && { 'x-capability': endpoint.capability }),
    ...(endpoint.scope && { 'x-scope': endpoint.scope }),
    'x-journal': endpoint.journal || (endpoint.journal === false ? false : undefined),
  }
}

const hasDryRun = (endpoint: Endpoint): boolean => endpoint.method !== 'GET' && noDryRun(endpoint) === null

const dryRun: Json = {
  name: dryRunParameter,
  in: 'query',
  required: false,
  schema: { type: 'boolean' },
  description: 'Change nothing and answer 200 with a DryRun: what the change would have answered and recorded',
}

/** A dry run answers 200, beside the answer of a change that does so too, at once or when it is made again. */
function tried({ status, repeatable, reply, summary }: Endpoint): Json {
  const ref = { $ref: '#/components/schemas/DryRun' }
  const schema = (status === 200 || repeatable) && reply ? { anyOf: [plain(reply), ref] } : ref
  const description = status === 200 ? summary : repeatable ? 'The same as at first, or a dry run' : 'A dry run'
  return { 200: { description, content: { 'application/json': { schema } } } }
}

const formOf = (file: string) => ({
  type: 'object',
  required: [file],
  properties: { [file]: { type: 'string', format: 'binary' } },
})

const workspaceParameters = ({ workspace, query }: Endpoint): Json[] => {
  const schema = { type: 'string' }
  const header = {
    name: 'X-Workspace-ID',
    in: 'header',
    required: false,
    schema,
    description: 'Workspace, by id or slug',
  }
  const named = (query as { properties?: Json } | undefined)?.properties?.['workspace_id']
  if (named) return [header]
  return [
    {
      name: 'workspace_id',
      in: 'query',
      required: false,
      schema,
      description: `Workspace, by id or slug; ${workspace === 'session' ? 'the header wins' : 'wins over the header'}`,
    },
    header,
  ]
}

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters(query: Json | undefined): Json[] {
  const required = (query?.['required'] as string[] | undefined) ?? []
  return Object.entries((query?.['properties'] as Json | undefined) ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: plain(schema),
  }))
}

function success({ status, held, partial, reply, kind, media, summary }: Endpoint): Json {
  if (media)
    return {
      [status]: {
        description: summary,
        content: Object.fromEntries(media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
      },
    }
  if (reply) {
    const content = { 'application/json': { schema: plain(reply) } }
    return {
      [status]: { description: summary, content },
      ...(held && { 202: { description: 'Held until somebody approves it', content } }),
      ...(partial && { 207: { description: 'Done in part: `error` says what failed first', content } }),
    }
  }
  return { [status]: { description: kind === 'stream' ? 'A stream' : kind === 'text' ? 'Text' : 'Done' } }
}

/** Problems that the kernel itself may answer with, besides those that the endpoint throws. */
function kernelRefusals(endpoint: Endpoint): Code[] {
  const {
    access,
    rate,
    method,
    path,
    scope,
    agent,
    query,
    body,
    journal,
    malformed,
    stepUp,
    upload,
    bytes,
    workspace,
    unnamed = workspace === 'agent' || workspace === 'approval' ? 'not_found' : 'workspace_required',
    overLimit = { code: 'body_over_limit' },
  } = endpoint
  const inWorkspace = isRole(access)
  const isUser = inWorkspace || access === 'signed-in'
  const ownWords = malformed !== undefined
  return [
    'host_rejected',
    'internal',
    ...(method === 'GET' && !journal ? [] : (['storage_full', 'storage_unavailable'] as const)),
    ...(rate === 'none' || (access === 'internal' && !agent) ? [] : (['rate_limited'] as const)),
    ...(method === 'GET' || access === 'internal' ? [] : (['origin_rejected'] as const)),
    ...(access === 'internal' ? (['not_found', 'internal_token_rejected'] as const) : []),
    ...(agent ? (['unavailable'] as const) : []),
    ...(isUser ? (['no_credentials', 'session_invalid', 'session_expired', 'session_revoked'] as const) : []),
    ...(stepUp ? (['step_up_required'] as const) : []),
    ...(inWorkspace ? ([unnamed, 'not_a_member', 'insufficient_role', 'two_factor_required'] as const) : []),
    ...(scope ? (['insufficient_scope'] as const) : []),
    ...(method === 'GET' ? [] : (['invalid_field'] as const)),
    ...(method !== 'GET' && !hasDryRun(endpoint) ? (['dry_run_unsupported'] as const) : []),
    ...(query || path.includes(':') ? (['invalid_field'] as const) : []),
    ...(query ? (['missing_field'] as const) : []),
    ...(body && !ownWords ? (['invalid_json', 'invalid_field', 'missing_field'] as const) : []),
    ...(bytes ? ([overLimit.code, 'body_too_large', 'invalid_json'] as const) : []),
    ...(upload ? (['invalid_field', 'missing_field'] as const) : []),
    ...(body || upload ? ([overLimit.code, 'body_too_large', 'unsupported_media_type'] as const) : []),
  ]
}

function refusals(endpoint: Endpoint): Json {
  const byStatus = new Map<number, Set<string>>()
  for (const code of [...(endpoint.throws ?? []), ...kernelRefusals(endpoint)]) {
    const [status] = problems[code]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: [...codes].join(', '), content }]),
  )
}

/** Drops the symbols that schemas carry for the type system. */
const bare = (schema: Json): Json => JSON.parse(JSON.stringify(schema)) as Json

/** A schema without symbols, with a reference to the component wherever it holds a journal entry. */
const plain = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.title === entryName ? { $ref: `#/components/schemas/${entryName}` } : value,
  )
