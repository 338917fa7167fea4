import { readdirSync, readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { changesOf } from './changes.mjs'
import { ownImports, root } from './load.mjs'

/** Command files: their path is the command, `crews/create.ts` is `crews:create`. */
export function discover(dir = `${root}cli/commands`) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(
    (it) => it.isFile() && it.name.endsWith('.ts'),
  )
  const paths = files.map(({ parentPath, name }) => `${parentPath}/${name}`.slice(dir.length + 1, -3)).sort()
  return paths.map((path) => ({ id: path.replaceAll('/', ':'), file: `./cli/commands/${path}.ts` }))
}

/** Writes all commands as one module, which package.json names to oclif: `oclif manifest` loads them there. */
export async function buildCommands(outfile = `${root}dist/cli/commands.cjs`) {
  const commands = discover()
  const imports = commands.map(({ file }, at) => `import c${at} from '${file}'`).join('\n')
  const members = commands.map(({ id }, at) => `${JSON.stringify(id)}: c${at}`).join(',\n')
  const changing = await changesOf(commands)
  const changes = commands.flatMap(({ id }, at) =>
    changing[id] ? [`addFlags(c${at}, ${JSON.stringify(changing[id])})`] : [],
  )
  const own = `import { addFlags } from './cli/changing.ts'\n${changes.join('\n')}`
  await build({
    stdin: { contents: `${imports}\n${own}\nexport default {${members}}`, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    conditions: ['development'],
    logLevel: 'error',
    plugins: [ownImports],
  })
}

/** The committed manifest of the commands, once it has all of them. */
export function readManifest() {
  const manifest = JSON.parse(readFileSync(`${root}oclif.manifest.json`, 'utf8'))
  const known = new Set(Object.keys(manifest.commands))
  const files = discover()
  if (files.length !== known.size || files.some(({ id }) => !known.has(id)))
    throw new Error('oclif.manifest.json does not list the files of cli/commands: run `npm run manifest`')
  return manifest
}
