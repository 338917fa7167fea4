import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ColumnDefinition, Statement } from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { type Db, migrate, openDatabase } from '#kernel/store/db'
import { migrations } from '#test'
import { listing } from '../../daemon/features/runs/records/queries.ts'

const root = new URL('../../', import.meta.url).pathname
const db = openDatabase(':memory:')
migrate(db, migrations, 'now')
afterAll(() => db.close())

interface Known {
  /** `crews.find`, as failures are told. */
  name: string
  file: string
  /** Where its type is found, as `queries.find`. */
  set: string
  key: string
  statement: Statement
  /** Why it may read a whole table. */
  mayScan: string | undefined
}

const inKernel = [
  'kernel/auth/authenticator.ts',
  'kernel/auth/membership.ts',
  'kernel/auth/sessions.ts',
  'kernel/store/installation.ts',
]

/** Every statement of every queries.ts: what its exported functions of a database give. */
async function discover(): Promise<Known[]> {
  const files = readdirSync(join(root, 'daemon'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('/queries.ts'),
  )
  const sets = await Promise.all(
    [...files, ...inKernel].map(async (path) => ({
      path,
      exports: (await import(join(root, 'daemon', path))) as Record<string, unknown>,
    })),
  )
  return sets.flatMap(({ path, exports }) => {
    const scans = (exports['scans'] ?? {}) as Record<string, string>
    return Object.entries(exports).flatMap(([set, make]) =>
      typeof make === 'function' && make.length === 1 ? statementsOf(path, set, make as (db: Db) => object, scans) : [],
    )
  })
}

function statementsOf(file: string, set: string, make: (db: Db) => object, scans: Record<string, string>): Known[] {
  const feature = file.split('/').slice(1, -1).join('.') || file
  const made = Object.entries((make(db) ?? {}) as Record<string, Statement>)
  return made
    .filter(([, it]) => typeof it.source === 'string')
    .map(([key, statement]) => ({ name: `${feature}.${key}`, file, set, key, statement, mayScan: scans[key] }))
}

/** Values for the parameters of a statement: planning needs places filled, not meaning. */
function blanks(sql: string): unknown[] {
  const bare = sql.replace(/'(?:[^']|'')*'|"[^"]*"|--[^\n]*/g, "''")
  const named = [...bare.matchAll(/[@:$]([A-Za-z_]\w*)/g)].map((match) => match[1]!)
  const places = bare.match(/\?/g) ?? []
  return [...places.map(() => null), ...(named.length ? [Object.fromEntries(named.map((name) => [name, null]))] : [])]
}

/** The steps that read a whole table. */
function scansOf(sql: string): string[] {
  // An insert looks at the rows that refer to its table only while some of them refer to nothing, which ours never do.
  db.pragma(`foreign_keys = ${/^\s*INSERT/i.test(sql) ? 'OFF' : 'ON'}`)
  const steps = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...blanks(sql))
  // A table function that is given its argument (json_each) reads no table.
  return steps
    .map(({ detail }) => detail)
    .filter((step) => /^SCAN (?!CONSTANT ROW)(?!.*VIRTUAL TABLE INDEX [1-9])/.test(step))
}

const known = await discover()
const typed = new Map<string, string>()

/** What TypeScript takes a column of this declared type for; null where SQLite knows no type. */
const typeNames: Record<string, string> = { TEXT: 'string', INTEGER: 'number', REAL: 'number', BLOB: 'Buffer' }

const mayBeNull = db
  .prepare<[table: string, column: string], number>(
    'SELECT "notnull" = 0 AND pk = 0 FROM pragma_table_info(?) WHERE name = ?',
  )
  .pluck()

/**
 * What the database says of the rows: the widest type that each column may have, and the narrowest that the code must
 * expect.
 */
function shape(columns: ColumnDefinition[]): string {
  const members = columns.map(({ name, type, table, column }) => {
    const widest = type ? `${typeNames[type]} | null` : 'unknown'
    const least = table && table !== 'json_each' && mayBeNull.get(table, column!) ? 'null' : 'never'
    return `${JSON.stringify(name)}: [${widest}, ${least}]`
  })
  return `{ ${members.join('; ')} }`
}

/**
 * Writes down the columns of each statement as a type and lets the compiler compare it with the row type of the code.
 */
function compileRows(all: Known[]): Map<string, string> {
  const files = [...new Set(all.map(({ file }) => file))]
  const imports = files.map(
    (file, index) => `import type * as m${index} from ${JSON.stringify(join(root, 'daemon', file))}`,
  )
  const checks = all.map(({ file, set, key, statement }) => {
    const row = `Row<typeof m${files.indexOf(file)}.${set}, ${JSON.stringify(key)}>`
    return `same = verdict<${row}, ${shape(statement.columns())}>()`
  })
  const head = [
    'type Row<S extends (db: never) => object, K extends PropertyKey> = ReturnType<S> extends { [P in K]: { ' +
      'get(...given: never[]): infer R } } ? Exclude<R, undefined> : never',
    'type Scalar = string | number | bigint | Buffer | null',
    'type Fits<T, C> = C extends [infer Widest, infer Least] ? ([T] extends [Widest] ? ([Least] extends [T] ? ' +
      'true : false) : false) : false',
    'type Differs<R, C> = { [K in keyof R | keyof C]: K extends keyof R & keyof C ? ([Fits<R[K], C[K]>] extends ' +
      '[true] ? never : K) : K }[keyof R | keyof C]',
    'type Verdict<R, C> = [R] extends [Scalar] ? (R extends C[keyof C][0 & keyof C[keyof C]] ? "same" : R) : ' +
      'unknown extends R ? "no row type" : [Differs<R, C>] extends [never] ? "same" : Differs<R, C>',
    'declare function verdict<R, C>(): Verdict<R, C>',
    'let same: "same"',
  ]
  const dir = mkdtempSync(join(tmpdir(), 'muster-rows-'))
  try {
    const lines = [...imports, ...head, ...checks]
    writeFileSync(join(dir, 'rows.ts'), `${lines.join('\n')}\n`)
    const options = { noEmit: true, typeRoots: [join(root, 'node_modules/@types')], types: ['node'] }
    writeFileSync(
      join(dir, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.json'),
        compilerOptions: options,
        include: [],
        files: ['rows.ts'],
      }),
    )
    const { stdout, error } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', dir, '--pretty', 'false'], {
      encoding: 'utf8',
    })
    if (error) throw error
    const before = imports.length + head.length
    const found = new Map<string, string>()
    for (const line of stdout.split('\n')) {
      const at = /rows\.ts\((\d+),\d+\): (.*)/.exec(line)
      const statement = at && all[Number(at[1]) - 1 - before]
      if (at && !statement) throw new Error(`The comparison itself does not compile: ${line}`)
      if (at && statement) found.set(statement.name, at[2]!)
    }
    return found
  } finally {
    rmSync(dir, { recursive: true })
  }
}
/** What `features/users/queries.ts` might have said by mistake, for the checks themselves. */
const madeUp = {
  right: 'SELECT id, email, full_name, avatar_url FROM users',
  few: 'SELECT id, email, full_name FROM users',
  many: 'SELECT id, email, full_name, avatar_url, password_hash FROM users',
  other: 'SELECT u.id, email, full_name, w.home AS avatar_url FROM users u, workspaces w',
  empty: 'SELECT avatar_url AS id, email, full_name, avatar_url FROM users',
}
const mistakes = Object.entries(madeUp).map(([name, sql]) => ({
  name,
  file: 'features/users/queries.ts',
  set: 'queries',
  key: 'find',
  statement: db.prepare(sql),
  mayScan: undefined,
}))

// The compiler takes seconds, so it runs once for all.
const reading = known.filter(({ statement }) => statement.reader)
for (const [name, words] of compileRows([...reading, ...mistakes])) typed.set(name, words)

it('finds them', () => expect(known.length).toBeGreaterThan(20))

describe.each(known)('$name', ({ statement, mayScan, name }) => {
  it('reads no whole table without a reason', () => {
    const scans = scansOf(statement.source)
    if (mayScan === undefined) expect(scans).toEqual([])
    else expect(scans, 'listed as a scan, but it is none').not.toEqual([])
  })

  it.skipIf(!statement.reader)('gives the columns of its row type', () => expect(typed.get(name)).toBeUndefined())
})

describe('runs.listing', () => {
  const filters = { status: 'RUNNING', agent: 'a', trigger: 'user', tag: 't' }
  const names = Object.keys(filters) as (keyof typeof filters)[]
  const subsets = names.reduce<(keyof typeof filters)[][]>(
    (all, name) => all.concat(all.map((some) => [...some, name])),
    [[]],
  )
  it.each(subsets.map((some) => [some]))('reads no whole table by %j', (some) => {
    const filter = { workspace: 'w', ...Object.fromEntries(some.map((name) => [name, filters[name]])) }
    const { page, total } = listing(db, filter)
    // `k` is the page itself: the rows that were chosen inside.
    expect([...scansOf(page.source), ...scansOf(total.source)].filter((step) => step !== 'SCAN k')).toEqual([])
  })
})

describe('the checks themselves', () => {
  it('see a scan', () => expect(scansOf('SELECT id FROM users WHERE full_name = ?')).toEqual(['SCAN users']))
  it('see a column too few, too many, of another type, or null unexpectedly', () => {
    const flaws = Object.keys(madeUp).flatMap((name) => (typed.has(name) ? [[name, typed.get(name)]] : []))
    expect(Object.fromEntries(flaws)).toEqual({
      few: expect.stringContaining('avatar_url'),
      many: expect.stringContaining('password_hash'),
      other: expect.stringContaining('avatar_url'),
      empty: expect.stringContaining('"id"'),
    })
  })
})
