import { builtinModules } from 'node:module'
import { build } from 'esbuild'
import { root } from './load.mjs'

/** Packages that every command needs, or that are small; they go into the bundle itself. */
const inline = new Set(['fast-string-truncated-width'])
/** Packages that bring files along and are required from node_modules. */
export const external = ['jq-wasm', 'typescript']

const fileOf = (name) => `${name.replace(/^@/, '').replaceAll('/', '-')}.cjs`

/**
 * Keeps packages that few commands need out of the bundle: each gets a file of its own, which is read when it is first
 * used.
 */
export function vendored() {
  const names = new Set()
  const plugin = {
    name: 'vendor',
    setup(builder) {
      builder.onResolve({ filter: /^[^./#]/ }, ({ path, importer }) => {
        const ours = importer.startsWith(`${root}cli/`) || importer.startsWith(`${root}src/`)
        if (!ours || inline.has(path) || path.startsWith('node:') || builtinModules.includes(path)) return undefined
        if (!external.includes(path)) names.add(path)
        return { path, namespace: 'vendor' }
      })
      builder.onLoad({ filter: /.*/, namespace: 'vendor' }, ({ path }) => ({
        // `require`, since code that comes from V8's cache cannot import().
        contents: external.includes(path)
          ? `module.exports = require('${path}')`
          : `module.exports = require(__dirname + '/vendor/${fileOf(path)}')`,
        resolveDir: root,
      }))
    },
  }
  return {
    plugin,
    write: (outdir) => Promise.all([...names].map((name) => bundle(name, `${outdir}/vendor/${fileOf(name)}`))),
  }
}

const bundle = (name, outfile) =>
  build({
    stdin: { contents: `module.exports = require('${name}')`, resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
  })
