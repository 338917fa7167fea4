import { createConnection, ProblemError } from '#client'

/** A Docker engine, asked without the daemon. */
export interface Engine {
  address: string
  /** Information about the engine; throws when it does not answer. */
  version(): Promise<string>
  /** Whether it has the image. */
  has(image: string): Promise<boolean>
}

const patienceMs = 3000

/**
 * The engine that `DOCKER_HOST` names, else the usual one of this machine. Null for one that only the docker command
 * reaches.
 */
export function engineOf(env: NodeJS.ProcessEnv = process.env): Engine | null {
  const address = env['DOCKER_HOST'] || 'unix:///var/run/docker.sock'
  const plain = /^(unix|tcp|http):\/\//.test(address) && !env['DOCKER_TLS_VERIFY']
  if (!plain) return null
  const { request } = createConnection({ server: address.replace(/^tcp:/, 'http:'), timeout: patienceMs })
  return {
    address,
    async version() {
      const { Version } = JSON.parse(String((await request('GET', '/version')).body)) as { Version: string }
      return Version
    },
    async has(image) {
      try {
        await request('GET', `/images/${image.split('/').map(encodeURIComponent).join('/')}/json`)
        return true
      } catch (error) {
        if (error instanceof ProblemError && error.problem.status === 404) return false
        throw error
      }
    },
  }
}
