import type { Adapter as Listed } from '#contract/adapters'
import { adapterProviders, cliAdapters } from '#contract/agents'
import type { App } from '#kernel/app'
import { createCache } from '#kernel/cache'
import { desiredCrew } from '../features/crews/containers/service.ts'
import type { Adapter } from './adapters/adapter.ts'
import { adapterOf } from './adapters/index.ts'
import { type Json, object, parseObject, string } from './adapters/json.ts'
import { RuntimeError } from './errors.ts'
import type { AgentSpec, Runtime } from './types.ts'

const keepFor = 60_000
const seconds = 10
const mostBytes = 8192

/** Finds programs as a shell does. A version is what the npm package that brings a program says. */
const search = `
const { accessSync, constants, readFileSync, realpathSync, statSync } = require('node:fs')
const { dirname, join } = require('node:path')
function find(name) {
  const folders = name.includes('/') ? [''] : process.env.PATH.split(':')
  for (const folder of folders) {
    try {
      const path = join(folder, name)
      accessSync(path, constants.X_OK)
      if (statSync(path).isFile()) return realpathSync(path)
    } catch {}
  }
}
function versionOf(program) {
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const { name, version, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const brought = typeof bin === 'string' ? [bin] : Object.values(bin || {})
      if (brought.some((it) => join(folder, it) === program)) return version
    } catch {}
  }
}
const found = process.argv.slice(1).map((name) => [name, find(name)])
console.log(JSON.stringify(Object.fromEntries(
  found.map(([name, program]) => [name, program ? { version: versionOf(program) } : null]),
)))`

/** What each client is and can, and whether a crew has it: known of running crews with an agent. */
export function createInstalled(app: App, runtime: Runtime): (crewId: string | null) => Promise<Listed[]> {
  const held = createCache<{ until: number; found: Promise<Json> }>(1000)
  const programOf = ({ command, program }: Adapter): string =>
    (runtime.kind === 'process' && app.config.vendor[command.path]) || program

  async function ask(crewId: string, agent: AgentSpec): Promise<Json> {
    const argv = ['node', '-e', search, '--', ...adapters.map(({ adapter }) => programOf(adapter))]
    const { code, stdout } = await runtime.command(crewId, agent, { argv, seconds, mostBytes })
    const found = code === 0 && parseObject(stdout)
    if (!found) throw new RuntimeError('refused', `it ended with ${code}`)
    return found
  }

  /** A container's image does not change: members who ask often start no program each time. */
  async function look(crewId: string): Promise<Json> {
    const agent = desiredCrew(app, crewId)?.spec.agents[0]
    const [crew] = agent ? await runtime.observe(crewId) : []
    if (!agent || crew?.state !== 'running') return {}
    const known = held.get(crew.containerId)
    if (known && known.until > app.steady()) return known.found
    const found = ask(crewId, agent)
    held.set(crew.containerId, { until: app.steady() + keepFor, found })
    found.catch(() => held.delete(crew.containerId))
    return found
  }

  return async (crewId) => {
    const found = crewId === null ? {} : await look(crewId).catch(() => ({}) as Json)
    return adapters.map(({ name, adapter }) => ({
      cli_adapter: name,
      providers: [...(adapterProviders[name] ?? [])],
      can: { resume: adapter.keepsSessions, ...adapter.can },
      refused: adapter.refused ?? null,
      ...foundOf(found[programOf(adapter)]),
    }))
  }
}

const adapters = cliAdapters.map((name) => ({ name, adapter: adapterOf(name)! }))

/** An agent's programs could have a hand in what is said, so nothing but a version passes. */
function foundOf(said: unknown): Pick<Listed, 'installed' | 'version'> {
  if (said === undefined) return { installed: null, version: null }
  const version = string(object(said)['version'])
  return { installed: said !== null, version: /^\d[\w.+-]{0,39}$/.test(version) ? version : null }
}
