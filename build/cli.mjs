import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { changesOf } from './changes.mjs'
import { frontDoor, lazyRequire, stubs } from './lazy-oclif.mjs'
import { load, root } from './load.mjs'
import { readMembers } from './members.mjs'
import { external, vendored } from './vendor.mjs'

// What `oclif manifest` writes for a command; oclif does not export it, and its version is pinned.
const require = createRequire(import.meta.url)
const { cacheCommand } = require(join(dirname(require.resolve('@oclif/core')), 'util', 'cache-command.js'))

/**
 * Bundles the command line into one file that loads what a command needs and no more, with oclif's manifest beside it.
 */
export async function buildCli(outdir = `${root}dist/cli`) {
  const commands = discover(`${root}cli/commands`)
  const { changing, ...manifest } = await describeCommands(commands)
  const { version } = manifest
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(outdir, { recursive: true })
  writeFileSync(`${outdir}/oclif.manifest.json`, JSON.stringify(manifest))
  mkdirSync(`${outdir}/commands`)
  for (const [id, command] of Object.entries(manifest.commands))
    writeFileSync(`${outdir}/commands/${id.replaceAll(':', '.')}.json`, JSON.stringify(command))
  const vendor = vendored()
  const { outputFiles } = await build({
    stdin: { contents: entry(commands, manifest, { version, changing }), resolveDir: root, loader: 'ts' },
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    conditions: ['development'],
    external,
    // Code that comes from V8's cache cannot import().
    supported: { 'dynamic-import': false },
    plugins: [frontDoor, vendor.plugin, lazyRequire, stubs],
    logLevel: 'error',
  })
  // The launcher reads the file as Latin-1. esbuild leaves characters of regular expressions as they are.
  const text = outputFiles[0].text.replace(
    /[^\0-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // By this first line the launcher knows a stale code cache.
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  await vendor.write(outdir)
  writeFileSync(`${outdir}/muster.cjs`, `//${digest}\n${text}`)
  return { commands: commands.length, bytes: text.length }
}

/** Command files: their path is the command, `crews/create.ts` is `crews:create`. */
function discover(dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(
    (it) => it.isFile() && it.name.endsWith('.ts'),
  )
  const paths = files.map(({ parentPath, name }) => `${parentPath}/${name}`.slice(dir.length + 1, -3)).sort()
  return paths.map((path) => ({ id: path.replaceAll('/', ':'), file: `./cli/commands/${path}.ts` }))
}

/** oclif's manifest: flags, arguments and texts of every command. */
export async function describeCommands(commands = discover(`${root}cli/commands`)) {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const imports = commands.map(({ file }, at) => `import c${at} from '${file}'`).join('\n')
  const list = commands.map((_, at) => `c${at}`).join(', ')
  const exported = `export { addFlags } from './cli/changing.ts'\nexport const all = [${list}]`
  const { all, addFlags } = await load(`${imports}\n${exported}`)
  const changing = await changesOf(commands)
  const membersOf = await readMembers()
  const cached = {}
  for (const [at, { id }] of commands.entries()) {
    const command = all[at]
    command.id = id
    if (changing[id]) addFlags(command, changing[id])
    cached[id] = { ...(await cacheCommand(command, undefined, true)), members: membersOf(id, command) }
  }
  return { version, commands: cached, changing }
}

/** Flags that take a value wherever they occur, with their letters; `--json` may stand alone. */
function valuedFlags({ commands }) {
  const flags = Object.values(commands).flatMap((command) => Object.values(command.flags))
  const alone = new Set(flags.filter(({ type }) => type === 'boolean').map(({ name }) => name))
  const valued = flags.filter(({ name, type }) => type === 'option' && name !== 'json' && !alone.has(name))
  return [...new Set(valued.flatMap(({ name, char }) => [`--${name}`, ...(char ? [`-${char}`] : [])]))].sort()
}

function entry(commands, manifest, { version, changing }) {
  const changes = Object.entries(changing).map(([id, { dry }]) => [id, { dry }])
  const aliases = Object.fromEntries(
    Object.values(manifest.commands).flatMap(({ id, aliases, hiddenAliases }) =>
      [...aliases, ...hiddenAliases].map((alias) => [alias, id]),
    ),
  )
  const summaries = Object.fromEntries(
    Object.values(manifest.commands).flatMap(({ id, summary = '', hidden }) => (hidden ? [] : [[id, summary]])),
  )
  return `
import { readFileSync } from 'node:fs'
import { main } from './cli/main.ts'
/** Resolves once the command is done. */
export const ended = main(process.argv.slice(2), {
  version: ${JSON.stringify(version)},
  root: __dirname,
  ids: ${JSON.stringify(commands.map(({ id }) => id))},
  aliases: ${JSON.stringify(aliases)},
  valued: ${JSON.stringify(valuedFlags(manifest))},
  summaries: ${JSON.stringify(summaries)},
  changing: ${JSON.stringify(Object.fromEntries(changes))},
  describe: (id) => JSON.parse(readFileSync(__dirname + '/commands/' + id.replaceAll(':', '.') + '.json', 'utf8')),
  load: { ${commands.map(({ id, file }) => `${JSON.stringify(id)}: () => import('${file}')`).join(',\n')} },
})
`
}
