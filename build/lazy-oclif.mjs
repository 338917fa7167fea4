import { readFile } from 'node:fs/promises'
import { root } from './load.mjs'

/**
 * Loading the whole of oclif takes longer than a command may. Its files are compiled TypeScript that reads an import
 * only as `name_1.member`, so each import can become a call that requires the module when it is first used.
 */
export const lazyRequire = {
  name: 'lazy-oclif',
  setup(builder) {
    builder.onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async ({ path }) => ({
      contents: defer(await readFile(path, 'utf8')),
      loader: 'js',
    }))
  },
}

/**
 * What commands use of oclif. Its own front door also looks for a package.json and compares versions of Node, at every
 * start.
 */
export const frontDoor = {
  name: 'oclif-front-door',
  setup(builder) {
    builder.onResolve({ filter: /^@oclif\/core$/ }, ({ path }) => ({ path, namespace: 'oclif' }))
    builder.onLoad({ filter: /.*/, namespace: 'oclif' }, () => ({
      contents: `module.exports = {
        get Args() { return require('@oclif/core/args') },
        get Command() { return require('@oclif/core/command').Command },
        get CommandHelp() { return require('@oclif/core/help').CommandHelp },
        get Flags() { return require('@oclif/core/flags') },
      }`,
      resolveDir: root,
    }))
  },
}

function defer(source) {
  const imports = new Map()
  let text = source.replace(
    /^const (\w+_\d+) = ((?:__importDefault|__importStar)\()?require\(("[^"]+")\)\)?;$/gm,
    (_, name, wrap, path) => {
      imports.set(name, wrap ? `${wrap}require(${path}))` : `require(${path})`)
      return ''
    },
  )
  // The parentheses keep `new name_1.Thing()` a construction of Thing.
  for (const name of imports.keys())
    text = text.replace(new RegExp(`(?<![\\w$.])${name}(?![\\w$])`, 'g'), `(${name}$load())`)
  const loaders = [...imports].map(
    ([name, required]) => `let ${name}$value; function ${name}$load() { return (${name}$value ??= ${required}) }`,
  )
  return text.replace(/^"use strict";/, `"use strict";\n${loaders.join('\n')}`)
}

const contents = {
  tinyglobby: 'module.exports = {}',
  minimatch: 'module.exports = { minimatch: (a, b) => a === b }',
  semver: 'module.exports = { satisfies: () => true }',
  'wsl-utils': 'module.exports = { isWsl: false }',
  // oclif builds its spinner, which is not used here, as soon as it sees a terminal.
  'cli-spinners': 'module.exports = { dots2: { frames: [""] }, line: { frames: [""] } }',
}

/** What oclif needs only to discover plugins on disk, and there are none in a bundle. */
export const stubs = {
  name: 'oclif-stubs',
  setup(builder) {
    builder.onResolve({ filter: /^(tinyglobby|minimatch|semver|wsl-utils|cli-spinners)$/ }, ({ path }) => ({
      path,
      namespace: 'stub',
    }))
    builder.onLoad({ filter: /.*/, namespace: 'stub' }, ({ path }) => ({ contents: contents[path] }))
  },
}
