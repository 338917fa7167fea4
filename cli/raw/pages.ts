import type { Connection } from '#client'
import { withQuery } from './request.ts'

const pageSize = 100

/** Every row of a list: by its cursor when it has one, else by limit and offset. */
export async function allPages(connection: Connection, path: string): Promise<unknown[]> {
  const rows: unknown[] = []
  for (let at = path; ; ) {
    const text = String((await connection.request('GET', at === path ? withLimit(path) : at)).body)
    const page = pageOf(JSON.parse(text))
    if (!page) return [...rows, JSON.parse(text)]
    rows.push(...page.rows)
    if (page.cursor) at = withQuery(withLimit(path), { cursor: page.cursor })
    else if (page.cursor === null || page.rows.length < limitOf(path)) return rows
    else at = withQuery(withLimit(path), { offset: offsetOf(path) + rows.length })
  }
}

const query = (path: string) => new URLSearchParams(path.split('?')[1])
const limitOf = (path: string) => Number(query(path).get('limit') ?? pageSize) || pageSize
const offsetOf = (path: string) => Number(query(path).get('offset') ?? 0) || 0
const withLimit = (path: string) => withQuery(path, { limit: String(limitOf(path)) })

/**
 * The rows of a reply: a bare array, or the one array of an object. A cursor of null says that this was the last page.
 */
function pageOf(value: unknown): { rows: unknown[]; cursor?: string | null } | undefined {
  if (Array.isArray(value)) return { rows: value }
  if (typeof value !== 'object' || value === null) return undefined
  const lists = Object.values(value).filter(Array.isArray)
  if (lists.length !== 1) return undefined
  const cursor = (value as { next_cursor?: unknown }).next_cursor
  return {
    rows: lists[0]!,
    ...('next_cursor' in value && { cursor: typeof cursor === 'string' && cursor ? cursor : null }),
  }
}
