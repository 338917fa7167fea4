import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs TypeScript of this repository: bundles the given module text (paths relative to the root) and imports it. */
export async function load(contents) {
  const dir = `${root}.cache`
  mkdirSync(dir, { recursive: true })
  const outfile = `${dir}/load-${process.pid}-${Date.now()}.mjs`
  try {
    await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      conditions: ['development'],
      logLevel: 'error',
      plugins: [ownImports],
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}

/** `packages: external` leaves `#names` alone too; these are ours and belong in the bundle. */
export const ownImports = {
  name: 'own-imports',
  setup(builder) {
    builder.onResolve({ filter: /^#/ }, ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === 'again') return undefined
      return builder.resolve(path, { resolveDir, kind, pluginData: 'again' })
    })
  },
}
