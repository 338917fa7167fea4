import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as words from '#client/words'
import { api } from '#contract'
import { features } from '../daemon/features/index.ts'

const root = resolve(import.meta.dirname, '..')
const folders = ['src', 'daemon', 'cli', 'test', 'build', 'bench'].filter((folder) => existsSync(join(root, folder)))
const files = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => /\.(ts|mjs|cjs)$/.test(path))
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = files.filter((path) => /^(src|daemon|cli)\//.test(path))

interface Import {
  from: string
  /** Path in the repository, or the name of a package. */
  to: string
  typeOnly: boolean
  /** Loaded when it is needed, so it may lead back. */
  lazy?: boolean
}

const aliases: [RegExp, string][] = [
  [/^#contract$/, 'src/contract/index.ts'],
  [/^#contract\/(.+)$/, 'src/contract/$1.ts'],
  [/^#client$/, 'src/client/index.ts'],
  [/^#client\/(.+)$/, 'src/client/$1.ts'],
  [/^#kernel\/(.+)$/, 'daemon/kernel/$1.ts'],
  [/^#runtime\/(.+)$/, 'daemon/runtime/$1.ts'],
]

function target(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, resolve(root, dirname(from), specifier))
  const alias = aliases.find(([pattern]) => pattern.test(specifier))
  return alias ? specifier.replace(...alias) : specifier
}

function importsOf(from: string): Import[] {
  const code = text(from)
  const found = [...code.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)].map(
    ([statement, type, specifier]) => {
      const names = /\{([^}]*)\}/.exec(statement)?.[1]
      const allTypes =
        names !== undefined &&
        !/^(?:import|export)\s+\w+\s*,/.test(statement) &&
        names.split(',').every((name) => !name.trim() || /^type\s/.test(name.trim()))
      return { from, to: target(from, specifier!), typeOnly: Boolean(type) || allTypes }
    },
  )
  const lazy = [...code.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)].map(([, specifier]) => ({
    from,
    to: target(from, specifier!),
    typeOnly: false,
    lazy: true,
  }))
  return [...found, ...lazy]
}

const imports = sources.flatMap(importsOf)
const within = (folder: string) => (path: string) => path.startsWith(`${folder}/`)
const isOurs = (path: string) => /^(src|daemon|cli|test|build|bench)\//.test(path)
const area = (path: string) =>
  /^(src|daemon\/(?:kernel|providers|features|runtime|streams|jobs)|cli)\//.exec(path)?.[1] ?? 'daemon'
const featureOf = (path: string) => path.split('/')[2]!
const isService = (path: string) => /^daemon\/features\/.+\/service\.ts$/.test(path)
/** What the runtime promises to the rest, without the runtime. */
const isRuntimeTypes = ({ to, typeOnly }: Import) => typeOnly && /^daemon\/runtime\/(.+-)?types\.ts$/.test(to)

/** Which of our own files each area may import. Everything points one way. */
const allowed: Record<string, (it: Import) => boolean> = {
  src: ({ to }) => within('src')(to),
  'daemon/kernel': (it) => within('src')(it.to) || within('daemon/kernel')(it.to) || isRuntimeTypes(it),
  /** What each vendor is to Muster: data, and what is told by a vendor's own rules. */
  'daemon/providers': (it) => within('daemon/providers')(it.to) || it.typeOnly,
  'daemon/features': (it) =>
    within('src/contract')(it.to) ||
    within('daemon/providers')(it.to) ||
    within('daemon/kernel')(it.to) ||
    isRuntimeTypes(it) ||
    it.from === 'daemon/features/index.ts' ||
    within('daemon/streams')(it.to) ||
    (within('daemon/features')(it.to) && (featureOf(it.from) === featureOf(it.to) || isService(it.to))),
  'daemon/runtime': ({ to }) =>
    ['src/contract', 'daemon/kernel', 'daemon/providers', 'daemon/runtime'].some((it) => within(it)(to)) ||
    isService(to),
  'daemon/streams': (it) =>
    within('src/contract')(it.to) ||
    within('daemon/kernel')(it.to) ||
    within('daemon/streams')(it.to) ||
    isRuntimeTypes(it),
  'daemon/jobs': (it) =>
    within('src/contract')(it.to) ||
    within('daemon/kernel')(it.to) ||
    within('daemon/jobs')(it.to) ||
    isService(it.to) ||
    isRuntimeTypes(it),
  daemon: ({ to }) => !within('cli')(to) && !within('test')(to),
  cli: ({ to, typeOnly }) => within('cli')(to) || within('src/client')(to) || (typeOnly && within('src/contract')(to)),
}
const wrong = (it: Import) => isOurs(it.to) && !allowed[area(it.from)]!(it)
const told = ({ from, to }: Import) => `${from} -> ${to}`

/** The words of each list or object in a source, but for those nested in another. */
const groups = (code: string) =>
  [...code.matchAll(/[[{]([^[\]{}]*)[\]}]/g)].map(([, inside]) => new Set(inside!.match(/[\w.:]+/g) ?? []))

it('the command line keeps no copy of a list of the contract', () => {
  const copies = sources.filter(within('cli')).flatMap((path) =>
    groups(text(path)).flatMap((group) =>
      Object.entries(words)
        .filter(([, list]) => list.every((word) => group.has(String(word))))
        .map(([name]) => `${path}: ${name}`),
    ),
  )
  expect(copies).toEqual([])
})

describe('imports', () => {
  it('are found', () => expect(imports.length).toBeGreaterThan(100))
  it('point one way', () => expect(imports.filter(wrong).map(told)).toEqual([]))
  it('make no circle', () => {
    const next = new Map<string, string[]>()
    for (const { from, to, typeOnly, lazy } of imports)
      if (!typeOnly && !lazy && isOurs(to)) next.set(from, [...(next.get(from) ?? []), to])
    const done = new Set<string>()
    const circle = (path: string, above: string[]): string[] | null => {
      if (above.includes(path)) return [...above.slice(above.indexOf(path)), path]
      if (done.has(path)) return null
      for (const to of next.get(path) ?? []) {
        const found = circle(to, [...above, path])
        if (found) return found
      }
      done.add(path)
      return null
    }
    expect(sources.map((path) => circle(path, [])).find((found) => found !== null)).toBeUndefined()
  })

  it('of features at run time make no ring', () => {
    const next = new Map<string, Set<string>>()
    const inFeature = /^daemon\/features\/([^/]+)\//
    for (const { from, to, typeOnly } of imports) {
      const [one, other] = [inFeature.exec(from)?.[1], inFeature.exec(to)?.[1]]
      if (!typeOnly && one && other && one !== other) next.set(one, (next.get(one) ?? new Set()).add(other))
    }
    const reached = (from: string, seen = new Set<string>()): Set<string> => {
      for (const to of next.get(from) ?? []) if (!seen.has(to)) reached(to, seen.add(to))
      return seen
    }
    expect([...next.keys()].filter((feature) => reached(feature).has(feature)).sort()).toEqual([])
  })

  it('name files that exist', () =>
    expect(imports.filter(({ to }) => isOurs(to) && !existsSync(join(root, to))).map(told)).toEqual([]))

  it.each([
    ['dockerode', /^daemon\/runtime\/docker\//],
    ['node-pty', /^(daemon\/runtime\/process|test)\//],
    ['better-sqlite3', /^daemon\/kernel\//],
    ['fastify', /^daemon\/kernel\//],
    ['undici', /^daemon\/kernel\/outbound\/|^src\/client\//],
    ['nodemailer', /^daemon\/kernel\/mail\//],
    ['@node-rs/bcrypt', /^daemon\/kernel\/auth\/passwords\.ts$/],
  ])('of %s stay in one place', (name, place) => {
    const users = imports.filter(({ to, typeOnly }) => to === name && !typeOnly).map(({ from }) => from)
    expect(users.filter((path) => !place.test(path))).toEqual([])
  })

  it('of the contract bring in the schema library and nothing else', () => {
    const foreign = imports.filter(
      ({ from, to }) => from.startsWith('src/contract/') && !isOurs(to) && to !== 'typebox',
    )
    expect(foreign.map(told)).toEqual([])
  })

  it.each([
    ['src/contract/crews.ts', 'daemon/kernel/app.ts', false],
    ['daemon/kernel/app.ts', 'daemon/features/crews/service.ts', false],
    ['daemon/kernel/app.ts', 'daemon/runtime/types.ts', false],
    ['daemon/features/crews/service.ts', 'daemon/features/agents/queries.ts', false],
    ['daemon/features/crews/service.ts', 'daemon/features/agents/service.ts', true],
    ['daemon/features/crews/members/service.ts', 'daemon/features/crews/queries.ts', true],
    ['daemon/runtime/reconcile.ts', 'daemon/features/crews/queries.ts', false],
    ['daemon/streams/ws.ts', 'daemon/features/crews/service.ts', false],
    ['cli/command.ts', 'src/contract/index.ts', false],
    ['cli/command.ts', 'daemon/kernel/ids.ts', false],
    ['daemon/serve.ts', 'daemon/features/index.ts', true],
  ])('from %s to %s: %s', (from, to, fine) => expect(wrong({ from, to, typeOnly: false })).toBe(!fine))
})

describe('vendors', () => {
  // Cursor and factory are words of ours, too.
  const vendor = /claude|anthropic|codex|openai|gemini|opencode|droid|cursor[._-](?:com|sh|cli)\b|factory\.ai/i
  const names = (code: string) => vendor.test(code) || /'(?:CURSOR|FACTORY)'/.test(code)
  const own = /^daemon\/(?:providers|runtime\/adapters\/[a-z-]+)\//
  const exceptions: Record<string, string> = {
    'daemon/features/crew-templates/models.ts': 'the models of built-in crews',
    'daemon/runtime/adapters/index.ts': 'lists the adapters',
    'daemon/runtime/adapters/settings.ts': 'lists their settings',
    'src/client/words.ts': 'generated from the contract',
    'src/contract/agents.ts': 'values of cli_adapter and llm_provider on the wire',
    'src/contract/keeper.ts': 'values of judge_provider and judge_wire on the wire',
    'src/contract/credentials.ts': 'values of provider on the wire, and the variables that belong to them',
    'src/contract/registry.ts': 'values of trust_tier on the wire',
  }

  it('are named by their own adapters and providers only', () => {
    const naming = sources.filter((path) => /^(src|daemon)\//.test(path) && !own.test(path) && names(text(path)))
    expect(naming.sort()).toEqual(Object.keys(exceptions).sort())
  })

  it.each([
    ["if (agent.cli_adapter === 'CODEX_CLI')", true],
    ["provider === 'CURSOR'", true],
    ['https://api.cursor.sh', true],
    ['const cursor = page.cursor', false],
    ['serverFactory: (handle) => handle', false],
  ])('are found in %s: %s', (code, found) => expect(names(code)).toBe(found))
})

describe('comments', () => {
  const cited = sources.flatMap((path) =>
    [...text(path).matchAll(/docs\/rules\/(\w+)\.md(?:,(?:\s|\*)+"([^"]+)")?/g)].map(([, page, heading]) => ({
      path,
      page: `docs/rules/${page}.md`,
      heading: heading?.replace(/\s+\*?\s*/g, ' '),
    })),
  )

  it('cite no document that is not in the repository', () => {
    const elsewhere = /(?:contract(?:'s)? part|specification(?:'s)? part|architecture\.md)/i
    expect(sources.filter((path) => elsewhere.test(text(path)))).toEqual([])
  })

  it('cite pages and headings that there are', () => {
    expect(cited.length).toBeGreaterThan(40)
    const missing = cited.filter(
      ({ page, heading }) => !existsSync(join(root, page)) || (heading && !text(page).includes(`\n## ${heading}\n`)),
    )
    expect(missing).toEqual([])
  })
})

describe('names', () => {
  const words = (path: string) => path.split('/').flatMap((part) => part.replace(/\.[a-z]+$/, '').split(/[-.]/))
  const vague = new Set([
    'manager',
    'helper',
    'helpers',
    'util',
    'utils',
    'handler',
    'impl',
    'misc',
    'common',
    'lib',
    'shared',
  ])

  it('are kebab-case and say what a thing is', () => {
    // There it says which passwords they are.
    const exact = (path: string) => path.replace('common-passwords', 'passwords')
    const bad = sources.filter((path) => /[A-Z]/.test(path) || words(exact(path)).some((word) => vague.has(word)))
    expect(bad).toEqual([])
  })

  it('of classes and functions do so too', () => {
    const bad = sources.flatMap((path) =>
      [...text(path).matchAll(/\b(?:class|interface|function) (\w*(?:Manager|Helper|Util|Handler|Impl))\b/g)].map(
        ([, name]) => `${path}: ${name}`,
      ),
    )
    expect(bad.filter((it) => !it.endsWith(': Handler'))).toEqual([])
  })

  it('of exports are given at the export', () => {
    const may = /^daemon\/features\/.*\/routes\.ts$|^cli\/commands\/|^cli\/help\/|\.config\.ts$/
    expect(sources.filter((path) => /^export default /m.test(text(path)) && !may.test(path))).toEqual([])
  })
})

describe('features', () => {
  it('are those of the contract', () => expect(Object.keys(features).sort()).toEqual(Object.keys(api).sort()))
  it('have their endpoints in a file of their name, and their routes in a folder of it', () => {
    for (const name of Object.keys(features)) {
      const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      expect(
        [
          existsSync(join(root, `src/contract/${dashed}.ts`)),
          existsSync(join(root, `daemon/features/${dashed}/routes.ts`)),
        ],
        name,
      ).toEqual([true, true])
    }
  })
  it('keep sub-resources one level down', () => {
    const deep = files.filter((path) => path.startsWith('daemon/features/') && path.split('/').length > 5)
    expect(deep).toEqual([])
  })
  it('prepare their statements in queries.ts', () => {
    const elsewhere = sources.filter(
      (path) =>
        path.startsWith('daemon/features/') && !path.endsWith('/queries.ts') && /\bdb\.prepare\b/.test(text(path)),
    )
    // The journal's reads are put together from the filters, on read-only connections of worker threads.
    expect(elsewhere.filter((path) => featureOf(path) !== 'journal')).toEqual([])
  })
})

describe('members of the application', () => {
  it('are there: none does nothing in silence', () => {
    const optional = sources.filter((path) => path.startsWith('daemon/') && /\bapp\.\w+\?\./.test(text(path)))
    expect(optional).toEqual([])
  })
})

describe('tests that not every machine can run', () => {
  it('say in the summary why they are left out', () => {
    const choosy = files.filter((path) => path.startsWith('test/e2e/') && /\.skipIf\(/.test(text(path)))
    expect(choosy.length).toBeGreaterThan(2)
    expect(choosy.filter((path) => !/^leaveOut\(/m.test(text(path)))).toEqual([])
  })
})

it('modules of tests that several files share leave hooks to the set-up: a worker loads them once', () => {
  const hook = /^(afterEach|afterAll|beforeEach|beforeAll)\(/m
  const own = files.filter((path) => path.startsWith('test/') && !/\.test\.ts$/.test(path) && hook.test(text(path)))
  expect(own).toEqual(['test/support/setup.ts'])
})

describe('lines', () => {
  // The formatter does not break the long texts of generated files.
  const isLong = (path: string) => {
    const code = text(path)
    return !code.startsWith('// Generated') && code.split('\n').some((line) => line.length > 120)
  }
  const scripts = readdirSync(join(root, 'scripts'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.'))
    .map((name) => `scripts/${name}`)
  const launchers = readdirSync(join(root, 'bin')).map((name) => `bin/${name}`)

  it('have at most 120 columns', () => {
    const long = [...files, ...scripts, ...launchers].filter((path) => isLong(path))
    expect(long).toEqual([])
  })
})

describe('sizes', () => {
  const lines = new Map(sources.map((path) => [path, text(path).split('\n').length - 1]))
  const sorted = [...lines.values()].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]

  it('beyond 300 lines are explained on the first line', () => {
    const silent = [...lines].filter(
      ([path, count]) => count > 370 && !/^\/[/*]/.test(text(path)) && !text(path).startsWith('// Generated'),
    )
    expect(silent).toEqual([])
  })

  it('are reported', () => {
    const longest = [...lines].sort((a, b) => b[1] - a[1]).slice(0, 5)
    process.stdout.write(
      `${lines.size} files: half have up to ${at(0.5)} lines, nine in ten up to ${at(0.9)}; longest: ` +
        `${longest.map(([path, count]) => `${path} ${count}`).join(', ')}\n`,
    )
  })
})
