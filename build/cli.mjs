import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { changesOf } from './changes.mjs'
import { closedModules, helpers } from './closed-modules.mjs'
import { buildCommands, discover, readManifest } from './commands.mjs'
import { frontDoor, lazyRequire, stubs } from './lazy-oclif.mjs'
import { root } from './load.mjs'
import { buildManual } from './man.mjs'
import { readMembers } from './members.mjs'
import { external, vendored } from './vendor.mjs'

/**
 * Bundles the command line into one file that loads what a command needs and no more. oclif's manifest is cut into one
 * file for each command, since reading all of it takes longer than a command may.
 */
export async function buildCli(outdir = `${root}dist/cli`) {
  const commands = discover()
  const manifest = readManifest()
  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(`${outdir}/commands`, { recursive: true })
  cpSync(`${root}templates/routines`, `${outdir}/templates/routines`, { recursive: true })
  await buildCommands(`${outdir}/commands.cjs`)
  await buildManual()
  const membersOf = await readMembers()
  for (const [id, command] of Object.entries(manifest.commands)) {
    const described = { ...command, members: membersOf(id, command) }
    writeFileSync(`${outdir}/commands/${id.replaceAll(':', '.')}.json`, JSON.stringify(described))
  }
  const vendor = vendored()
  const { outputFiles } = await build({
    stdin: { contents: entry(commands, manifest, await changesOf(commands)), resolveDir: root, loader: 'ts' },
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    banner: { js: helpers },
    legalComments: 'none',
    conditions: ['development'],
    external,
    // Code that comes from V8's cache cannot import().
    supported: { 'dynamic-import': false },
    plugins: [frontDoor, vendor.plugin, lazyRequire, closedModules, stubs],
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

/** Flags that take a value wherever they occur, with their letters; `--json` may stand alone. */
function valuedFlags(commands) {
  const flags = commands.flatMap((command) => Object.values(command.flags))
  const alone = new Set(flags.filter(({ type }) => type === 'boolean').map(({ name }) => name))
  const valued = flags.filter(({ name, type }) => type === 'option' && name !== 'json' && !alone.has(name))
  return [...new Set(valued.flatMap(({ name, char }) => [`--${name}`, ...(char ? [`-${char}`] : [])]))].sort()
}

function entry(commands, manifest, changing) {
  const changes = Object.fromEntries(Object.entries(changing).map(([id, { dry, local }]) => [id, { dry, local }]))
  const { version, homepage } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const all = Object.values(manifest.commands)
  const names = (kind) => Object.fromEntries(all.flatMap((it) => it[kind].map((alias) => [alias, it.id])))
  const hidden = Object.fromEntries(all.filter((it) => it.hidden).map(({ id }) => [id, id]))
  const summaries = Object.fromEntries(all.flatMap(({ id, summary = '', hidden }) => (hidden ? [] : [[id, summary]])))
  return `
import { readFileSync } from 'node:fs'
import { main } from './cli/main.ts'
/** Resolves once the command is done. */
export const ended = main(process.argv.slice(2), {
  version: ${JSON.stringify(version)},
  docs: ${JSON.stringify(homepage ? `${homepage}/docs/cli` : 'docs/cli')},
  root: __dirname,
  ids: ${JSON.stringify(all.filter(({ hidden }) => !hidden).map(({ id }) => id))},
  aliases: ${JSON.stringify(names('aliases'))},
  valued: ${JSON.stringify(valuedFlags(all))},
  unlisted: ${JSON.stringify({ ...names('hiddenAliases'), ...hidden })},
  summaries: ${JSON.stringify(summaries)},
  changing: ${JSON.stringify(changes)},
  describe: (id) => JSON.parse(readFileSync(__dirname + '/commands/' + id.replaceAll(':', '.') + '.json', 'utf8')),
  load: { ${commands.map(({ id, file }) => `${JSON.stringify(id)}: () => import('${file}')`).join(',\n')} },
})
`
}
