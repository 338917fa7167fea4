import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { transform } from 'esbuild'
import { root } from './load.mjs'

/**
 * Makes each of our own files a CommonJS module. esbuild hoists the functions of ES modules to the top of the bundle,
 * where V8 makes all of them at every start; those of a CommonJS module are made when it is first used.
 */
export const closedModules = {
  name: 'closed-modules',
  setup(builder) {
    builder.onResolve({ filter: /^[.#]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === ours) return undefined
      const found = await builder.resolve(path, { kind, resolveDir, pluginData: ours })
      // In a namespace of its own a file is not taken for an ES module because package.json says so.
      return isOwn(found.path) ? { path: found.path, namespace: 'closed' } : found
    })
    builder.onLoad({ filter: /.*/, namespace: 'closed' }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const { code } = await transform(source, { loader: 'ts', format: 'cjs', platform: 'node', target: 'node20' })
      return { contents: code.replace(esbuildHelpers, ''), loader: 'js', resolveDir: dirname(path) }
    })
  },
}

const ours = {}
const isOwn = (path) => path.endsWith('.ts') && (path.startsWith(`${root}cli/`) || path.startsWith(`${root}src/`))

/** What esbuild repeats at the top of each module, up to a line that is not indented and ends a statement. */
const esbuildHelpers = /^var __\w+ = .*(?:;|(?:\n\s.*)*\n\S*;)\n/gm

/** These helpers once, for the top of the bundle. The exports themselves are the module: nothing copies them. */
export const helpers = `
var __export = (target, all) => {
  for (const name in all) Object.defineProperty(target, name, { get: all[name], enumerable: true })
}
var __toCommonJS = (exports) => Object.defineProperty(exports, '__esModule', { value: true })
var __toESM = (module) => module.__esModule ? module : Object.create(module, { default: { value: module } })
`
