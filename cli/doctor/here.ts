import { existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { configFile, daemonProgram, dataDir } from '../paths.ts'
import { daemonSettings } from '../settings.ts'
import { engineOf } from './engine.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

type Env = NodeJS.ProcessEnv

const GB = 1024 ** 3
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
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return ok('configuration', `${path} is not there yet`)
  return closed('configuration', [[path, stat]]) ?? ok('configuration', `${path}, readable by you alone`)
}

/** Why other users can reach the files; null when they cannot. */
function closed(name: string, files: readonly (readonly [path: string, stat: Stats])[]): Finding | null {
  const foreign = files.find(([, { uid }]) => uid !== process.getuid?.())
  if (foreign)
    return fail(name, `${foreign[0]} belongs to another user`, `chown -R $(id -u) ${foreign[0]}, or run as that user`)
  const open = files.filter(([, { mode }]) => mode & 0o077).map(([path]) => path)
  return open.length ? fail(name, `Other users can read ${open.join(', ')}`, `chmod go= ${open.join(' ')}`) : null
}

const secrets = ['muster.db', 'encryption.key', 'musterd.json', 'musterd.log', 'musterd.sock']

/** The checks of the daemon on this machine, for when none is running. */
export async function machine(env: Env = process.env): Promise<Finding[]> {
  const program = daemonProgram()
  if (!existsSync(program))
    return [fail('daemon', `${program} is missing`, 'npm ci && npm run build, in the folder of Muster')]
  return [...dataFolder(env), ...(await engine(env))]
}

function dataFolder(env: Env): Finding[] {
  const dir = dataDir(env)
  const stat = statSync(dir, { throwIfNoEntry: false })
  if (!stat) return [ok('data', `${dir} will be made by the first start`)]
  const files = secrets.flatMap((name) => {
    const path = join(dir, name)
    const found = statSync(path, { throwIfNoEntry: false })
    return found ? [[path, found] as const] : []
  })
  const { bavail, bsize } = statfsSync(dir)
  return [
    closed('data', [[dir, stat], ...files]) ?? ok('data', `${dir}, readable by you alone`),
    key(dir, env),
    disk(dir, bavail * bsize),
  ]
}

function key(dir: string, env: Env): Finding {
  if (env['ENCRYPTION_KEY']) return ok('key', 'ENCRYPTION_KEY is set')
  if (existsSync(join(dir, 'encryption.key'))) return ok('key', join(dir, 'encryption.key'))
  if (!existsSync(join(dir, 'muster.db'))) return ok('key', 'The first start makes one')
  return fail(
    'key',
    `${join(dir, 'encryption.key')} is gone: stored credentials cannot be opened`,
    'bring it back from a backup, or set ENCRYPTION_KEY',
  )
}

function disk(dir: string, free: number): Finding {
  const detail = `${(free / GB).toFixed(1)} GB free below ${dir}`
  const fix = `free space below ${dir}, or move the data to another disk (SVC_DATA_DIR)`
  if (free < GB / 2) return fail('disk', detail, fix)
  return free < 5 * GB ? warn('disk', detail, fix) : ok('disk', detail)
}

async function engine(env: Env): Promise<Finding[]> {
  const settings = await daemonSettings(env).catch((error: Error) => error)
  if (settings instanceof Error) return [fail('settings', settings.message, 'muster config show --origin')]
  const setting = (name: string) => String(settings?.find((it) => it.setting === name)?.value ?? '')
  if (setting('container.provider') === 'process')
    return [
      warn(
        'runtime',
        'Agents run as local processes of this user: nothing isolates them',
        'fine for trying things out; for real work install Docker and set SVC_CONTAINER_PROVIDER=docker',
      ),
    ]
  const docker = engineOf(env)
  if (!docker)
    return [
      warn(
        'runtime',
        `Whether an engine answers at ${env['DOCKER_HOST']} is only known to the daemon`,
        'muster up, then muster doctor again',
      ),
    ]
  try {
    const version = await docker.version()
    return [
      ok('runtime', `Docker engine ${version} at ${docker.address}`),
      await images(docker, [setting('container.runtime_image'), setting('container.sidecar_image')]),
    ]
  } catch (error) {
    const fix =
      'start Docker (systemctl start docker), or name another engine in DOCKER_HOST; to try things out without ' +
      'one: SVC_CONTAINER_PROVIDER=process'
    return [fail('runtime', `No Docker engine answers: ${(error as Error).message}`, fix)]
  }
}

async function images(docker: NonNullable<ReturnType<typeof engineOf>>, names: string[]): Promise<Finding> {
  const here = await Promise.all(names.map((name) => docker.has(name)))
  const missing = names.filter((_, at) => !here[at])
  if (!missing.length) return ok('images', names.join(', '))
  const how = missing.some((name) => name.endsWith(':local'))
    ? 'scripts/build-images.sh, in the folder of Muster'
    : `docker pull ${missing[0]}`
  return fail(
    'images',
    `Missing: ${missing.join(', ')}`,
    `${how}; or name others in SVC_RUNTIME_IMAGE and SVC_SIDECAR_IMAGE`,
  )
}
