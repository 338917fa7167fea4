import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = new URL('../..', import.meta.url).pathname

const newest = (dir: string): number =>
  Math.max(...readdirSync(join(root, dir), { recursive: true }).map((name) => statSync(join(root, dir, String(name))).mtimeMs))

const builtAt = (): number => {
  try {
    return statSync(join(root, 'dist/cli/muster.cjs')).mtimeMs
  } catch {
    return 0
  }
}

/** The command line is tested as users run it, so it is built before the tests when its sources are newer. */
export default function setup(): void {
  if (builtAt() > Math.max(newest('cli'), newest('src'), newest('build'), statSync(join(root, 'package.json')).mtimeMs)) return
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'build/build.mjs'), 'cli'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The command line cannot be built:\n${stderr}`)
}
