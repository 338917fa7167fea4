import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../..', import.meta.url).pathname

const newest = (dir: string): number =>
  Math.max(
    ...readdirSync(join(root, dir), { recursive: true }).map((name) => statSync(join(root, dir, String(name))).mtimeMs),
  )

const builtAt = (path: string): number => {
  try {
    return statSync(join(root, path)).mtimeMs
  } catch {
    return 0
  }
}

/** The programs are tested as users run them, so each is built before the tests when its sources are newer. */
export default function setup(): void {
  const common = Math.max(newest('src'), newest('build'), statSync(join(root, 'package.json')).mtimeMs)
  const stale = [
    ...(builtAt('dist/cli/muster.cjs') > Math.max(common, newest('cli')) ? [] : ['cli']),
    ...(builtAt('dist/daemon/musterd.js') > Math.max(common, newest('daemon'), newest('templates/pages'))
      ? []
      : ['daemon']),
    ...(builtAt('dist/container/channel.cjs') > Math.max(common, newest('daemon/runtime'), newest('daemon/providers'))
      ? []
      : ['container']),
  ]
  if (!stale.length) return
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'build/build.mjs'), ...stale], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`What is tested cannot be built:\n${stderr}`)
}
