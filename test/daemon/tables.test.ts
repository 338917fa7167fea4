import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { api } from '#contract'
import { migrations } from '#test'

const daemon = new URL('../../daemon/', import.meta.url).pathname
const files = readdirSync(daemon, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
const text = new Map(files.map((path) => [path, readFileSync(join(daemon, path), 'utf8')]))

const writing = /\b(?:INSERT(?: OR \w+)? INTO|UPDATE(?: OR \w+)?|DELETE FROM)\s+([a-z_]+)\b/g

/** `features/crews/members/queries.ts` -> `crews`, `kernel/auth/sessions.ts` -> `kernel`. */
const ownerOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1] ?? path.split('/')[0]!

/** Tables that `sql` writes. */
const tablesIn = (sql: string) => [...sql.matchAll(writing)].map((match) => match[1]!)

/** Tables as the migrations leave them. */
const stored = new Set<string>()
const defining = /CREATE TABLE (?:IF NOT EXISTS )?(\w+)|DROP TABLE (\w+)|ALTER TABLE (\w+) RENAME TO (\w+)/g
for (const { sql } of migrations)
  for (const [, created, dropped, from, to] of sql.matchAll(defining)) {
    for (const gone of [dropped, from]) if (gone) stored.delete(gone)
    for (const made of [created, to]) if (made) stored.add(made)
  }

/** Who writes each table. */
const writers = new Map<string, Set<string>>()
for (const [path, code] of text)
  for (const table of tablesIn(code).filter((table) => stored.has(table)))
    writers.set(table, (writers.get(table) ?? new Set()).add(ownerOf(path)))

/** Kept by triggers alone. */
const byTriggers = new Set(['inbox_counts', 'inbox_read_counts', 'labelled_issues'])

/** Tables that the kernel writes beside their feature, and why. */
const shared: Record<string, { feature: string; why: string }> = {
  cli_token_uses: { feature: 'tokens', why: 'authentication records each use; the feature erases old ones' },
  cli_tokens: { feature: 'tokens', why: 'authentication records when a token was last used' },
  journal: { feature: 'journal', why: 'the kernel appends entries; the feature sets their priority' },
  user_sessions: { feature: 'sessions', why: 'authentication records when a session was last used' },
}

/** Tables of two features, and why. */
const ofTwo: Record<string, { features: string[]; why: string }> = {
  missions: {
    features: ['issues', 'missions'],
    why: 'clients read both as one list; each writes rows of its own type',
  },
}

describe('tables', () => {
  it('are found, with their writers', () => {
    expect([...(writers.get('crews') ?? [])]).toContain('crews')
    expect([...stored].filter((table) => !writers.has(table) && !byTriggers.has(table))).toEqual([])
    expect([...writers.values()].flatMap((set) => [...set]).filter((owner) => owner in api).length).toBeGreaterThan(20)
  })

  it('are written by one feature each', () => {
    const found = [...writers].filter(([, owners]) => owners.size > 1)
    const expected = [
      ...Object.entries(shared).map(([table, { feature }]) => [table, new Set(['kernel', feature])] as const),
      ...Object.entries(ofTwo).map(([table, { features }]) => [table, new Set(features)] as const),
    ]
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  })

  it('are seen whatever the statement', () =>
    expect(
      tablesIn(
        'INSERT INTO a VALUES (1); INSERT OR IGNORE INTO b; UPDATE c SET x = 1; UPDATE OR FAIL d SET y; DELETE FROM e',
      ),
    ).toEqual(['a', 'b', 'c', 'd', 'e']))
})

describe('statements that write', () => {
  /** Databases of their own, which no change belongs to: the search index, the words of one phrase, a migration. */
  const apart = [
    'features/journal/search.ts',
    'features/journal/unindexed.ts',
    'features/journal/phrase.ts',
    'kernel/store/db.ts',
  ]

  it('are prepared where a change is asked for', () => {
    const loose = [...text].filter(
      ([path, code]) =>
        !apart.includes(path) &&
        /\.(prepare|exec)\b/.test(code) &&
        tablesIn(code).length > 0 &&
        !/\b(statements\(|withinChange\()/.test(code),
    )
    expect(loose.map(([path]) => path)).toEqual([])
  })
})
