import { daemonSettings } from '../settings.ts'
import { type Engine, engineOf } from './engine.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

type Env = NodeJS.ProcessEnv

const withoutEngine =
  'or, to try things out without isolation, let agents run as local processes: ' +
  'muster up --container-provider process (SVC_CONTAINER_PROVIDER=process)'

/** What agents would run in. `chosen`: the provider, where it is not the one of the settings. */
export async function runtime(env: Env, chosen?: string): Promise<Finding[]> {
  const settings = await daemonSettings(env).catch((error: Error) => error)
  // The daemon's program says what to do in its own words.
  if (settings instanceof Error)
    return [fail('settings', settings.message.split('\nNext: ')[0]!, 'correct it; see muster config list --origin')]
  const setting = (name: string) => String(settings?.find((it) => it.setting === name)?.value ?? '')
  if ((chosen ?? setting('container.provider')) === 'process')
    return [
      warn(
        'runtime',
        'Agents run as local processes of this user: nothing isolates them',
        'fine for trying things out; for real work install Docker and set SVC_CONTAINER_PROVIDER=docker',
      ),
    ]
  const docker = engineOf(env)
  if (docker) return engine(docker, [setting('container.runtime_image'), setting('container.sidecar_image')])
  const detail = `Whether an engine answers at ${env['DOCKER_HOST']} is only known to the daemon`
  return [warn('runtime', detail, 'muster up, then muster doctor')]
}

async function engine(docker: Engine, names: string[]): Promise<Finding[]> {
  try {
    const version = await docker.version()
    return [ok('runtime', `Docker engine ${version} at ${docker.address}`), await images(docker, names)]
  } catch (error) {
    const { reason, message } = error as Error & { reason?: string }
    if (reason === 'EACCES' || reason === 'EPERM')
      return [
        fail(
          'runtime',
          `This user may not use the Docker engine at ${docker.address}`,
          'add the user to its group (sudo usermod -aG docker "$USER", then sign in again; members are equal to ' +
            'root), or name an engine of your own (rootless Docker or Podman) in DOCKER_HOST',
        ),
      ]
    return [
      fail(
        'runtime',
        `No Docker engine answers: ${message}`,
        `start Docker (systemctl start docker), or name another engine in DOCKER_HOST; ${withoutEngine}`,
      ),
    ]
  }
}

async function images(docker: Engine, names: string[]): Promise<Finding> {
  const missing = await missingImages(docker, names)
  if (!missing.length) return ok('images', names.join(', '))
  const how = missing.some((name) => name.endsWith(':local'))
    ? 'muster doctor --fix, or scripts/build-images.sh in the folder of Muster'
    : `docker pull ${missing[0]}`
  return fail(
    'images',
    `Missing: ${missing.join(', ')}`,
    `${how}; or name others in SVC_RUNTIME_IMAGE and SVC_SIDECAR_IMAGE`,
  )
}

async function missingImages(docker: Engine, names: string[]): Promise<string[]> {
  const here = await Promise.all(names.map((name) => docker.has(name)))
  return names.filter((_, at) => !here[at])
}
