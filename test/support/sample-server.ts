import { endpoints } from '#contract'
import { urlOf } from '#contract/define'
import { fakeServer, json } from './fake-server.ts'

interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

/** The one id that everything has. */
export const sampleId = 'c0mjuohs005e6fu6qxd87qvyr'
const time = '2026-01-01T00:00:00Z'
const prose = 'Deploy the newest release to all of the regions before midnight'

/** A value as the schema describes it: the same each time, with words where people write words. */
export function sample(schema: Schema, name = ''): unknown {
  const { type, anyOf, items, properties } = schema
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum.find((it) => it !== null && it !== '')
  if (anyOf) return sample(anyOf.find((it) => it.type !== 'null') ?? {}, name)
  if (items) return [sample(items, name)]
  if (properties)
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([member]) => !['next_cursor', 'has_more'].includes(member))
        .map(([member, of]) => [member, sample(of, member)]),
    )
  const kind = [type].flat()[0]
  if (kind === 'integer' || kind === 'number') return 3
  if (kind === 'boolean') return true
  if (kind === 'object') return {}
  return text(name)
}

function text(name: string): string {
  if (name === 'id' || name.endsWith('_id')) return sampleId
  if (/(_at|^ts|_since|^since|^at)$/.test(name)) return time
  if (/slug/.test(name)) return 'backend'
  if (/email/.test(name)) return 'ada@example.com'
  if (/reason|title|summary|prompt|description|content|error|text/.test(name)) return prose
  return 'sample'
}

const routes = endpoints.map(({ endpoint }) => ({
  method: endpoint.method,
  reply: endpoint.reply as Schema | undefined,
  path: new RegExp(`^${urlOf(endpoint).replace(/:\w+/g, '[^/]+')}$`),
  fixed: (urlOf(endpoint).match(/:/g) ?? []).length,
}))

/**
 * A server that answers every request with a sample of its reply. `empty`: lists have no rows. `without`: nothing has
 * this id.
 */
export async function sampleServer({ empty = false, without = '' } = {}) {
  return fakeServer(({ method, url }, reply) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const found = routes
      .filter((route) => route.method === method && route.path.test(pathname))
      .sort((a, b) => a.fixed - b.fixed)[0]
    if (!found || (without && pathname.includes(without)))
      return json(reply, { code: 'not_found', title: pathname, status: 404 }, 404)
    const isLater = Number(searchParams.get('offset')) > 0 || Number(searchParams.get('page')) > 1
    if (!found.reply) return reply.writeHead(204).end()
    const body = sample(found.reply)
    json(reply, empty || isLater ? emptied(body) : body)
  })
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, Array.isArray(it) ? [] : it]))
}
