import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { asMuster } from '../local/start-failure.ts'
import { configFile, daemonProgram } from '../paths.ts'
import { type Finding, fail, ok } from './finding.ts'
import { closed, dataFolder } from './folder.ts'
import { runtime } from './runtime.ts'

type Env = NodeJS.ProcessEnv

const needsNode = [20, 17] as const

/** Checks the version of Node. */
export function command(version: string, node = process.versions.node): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const detail = `muster ${version} on Node ${node}`
  if (major > needsNode[0] || (major === needsNode[0] && minor >= needsNode[1])) return ok('command', detail)
  return fail('command', detail, `install Node ${needsNode.join('.')} or newer`)
}

/** The file of contexts. `broken`: why it could not be read. */
export function configuration(broken: Error | null, env: Env = process.env): Finding {
  const path = configFile(env)
  if (broken) return fail('configuration', broken.message, `mend or remove ${path}`)
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat) return ok('configuration', `${path} is not there yet`)
    return closed('configuration', [[path, stat]]) ?? ok('configuration', `${path}, readable by you alone`)
  } catch (error) {
    return fail('configuration', (error as Error).message, 'name a file of your own in SVC_CONFIG')
  }
}

/** The checks of the daemon on this machine, for when none is running. */
export async function machine(env: Env = process.env): Promise<Finding[]> {
  const program = daemonProgram()
  if (!existsSync(program))
    return [fail('daemon', `${program} is missing`, 'npm ci && npm run build, in the folder of Muster')]
  const folder = dataFolder(env)
  const [stored, ran] = await Promise.all([byDaemon(program, env), runtime(env)])
  const known = new Set([...folder, ...ran].filter(({ status }) => status === 'fail').map(({ name }) => name))
  // What keeps the folder closed is told once.
  const news = stored.filter(({ name }) => !(known.has('data') && name !== 'port') && name !== 'data folder')
  return [...folder, ...news.filter(({ name }) => !known.has(name)), clockHere(program), ...ran]
}

/** What the daemon's own program finds on the data, without starting. */
function byDaemon(program: string, env: Env): Promise<Finding[]> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'check', '--json'], { env }, (error, stdout, stderr) => {
      try {
        const found = JSON.parse(stdout) as Omit<Finding, 'where'>[]
        resolve(found.map((it) => ({ where: 'here', ...it, fix: it.fix && asMuster(it.fix) })))
      } catch {
        const said =
          stderr
            .trim()
            .split('\n')[0]
            ?.replace(/^musterd: /, '') || error?.message
        const next = /^Next: (.*)$/m.exec(stderr)?.[1]
        resolve([
          fail('settings', said ?? 'musterd said nothing', next ? asMuster(next) : 'muster config list --origin'),
        ])
      }
    })
  })
}

/** A clock cannot be earlier than the program that reads it. */
export function clockHere(program: string, now = Date.now()): Finding {
  const installed = statSync(program).mtimeMs
  if (now > installed - 60_000) return ok('clock', `This machine says ${new Date(now).toISOString()}`)
  return fail(
    'clock',
    `This machine says ${new Date(now).toISOString()}, which is before Muster was installed`,
    'set it by the network: timedatectl set-ntp true',
  )
}
