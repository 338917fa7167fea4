import { join } from 'node:path'
import { ProblemError, UnreachableError } from '#client'
import { ApiCommand } from '../command.ts'
import { isLocal, runtimeFile } from '../contexts/session.ts'
import { span } from '../output/cell.ts'
import { dataDir } from '../paths.ts'

export default class Status extends ApiCommand<typeof Status> {
  static override summary = 'Show the status of the daemon, its crews and agents'
  static override description = 'Exits with 8 if no daemon answers.'
  static override result = {
    of: ['system.health'],
    members: ['server', 'url', 'pid', 'version', 'uptime', 'runtime', 'crews', 'agents', 'agents.*'],
  }
  static override examples = ['$ <%= config.bin %> status', '$ <%= config.bin %> status --jq .version']

  async run(): Promise<void> {
    const { target, token, workspace } = this.session
    const { version, uptime } = await this.alive()
    const health = await this.health()
    const { url, pid } = isLocal(this.session) ? runtimeFile(join(dataDir(), 'musterd.json')) : {}
    const inside = token && workspace ? await this.inside() : null
    const found = { server: target.key, url: url ?? null, pid: pid ?? null, version, uptime, ...health, ...inside }
    await this.out.show(found, {
      name: (it) => it.server,
      columns: {
        Server: (it) => it.server,
        Address: (it) => it.url,
        Process: (it) => it.pid,
        Version: (it) => it.version,
        Condition: () => health.degraded?.map(({ reason }) => reason).join('; ') ?? health.status,
        Up: (it) => ({ text: span(it.uptime), value: it.uptime }),
        'Agents run in': () => inside?.runtime,
        Crews: () => inside?.crews,
        Agents: () =>
          inside
            ? {
                text: `${inside.agents.total}: ${inside.agents.running} running, ${inside.agents.error} in error`,
                value: inside.agents.total,
              }
            : null,
      },
    })
    if (!token) this.out.note('Not signed in. Next: muster login', 'dim')
    else if (!workspace) this.out.note('No workspace is chosen. Next: muster workspaces list', 'dim')
  }

  /** Any program may answer with JSON. */
  private async alive() {
    const said = await this.api.system.alive({ query: {} })
    if (typeof said?.version === 'string' && typeof said.uptime === 'number') return said
    const { key } = this.session.target
    throw new UnreachableError(key, 'FOREIGN', `What answers at ${key} is not a Muster server`)
  }

  /** A server that cannot say it is no reason to say nothing of it. */
  private async health(): Promise<{ status?: string; degraded?: { name: string; reason: string }[] }> {
    try {
      return await this.api.system.health()
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      return {
        status: 'unavailable',
        degraded: [{ name: 'database', reason: error.problem.detail ?? error.problem.title }],
      }
    }
  }

  private async inside() {
    const [{ runtime }, crews, agents] = await Promise.all([
      this.api.system.version(),
      this.api.crews.list({ query: { limit: 500 } }),
      this.api.agents.status(),
    ])
    return { runtime, crews: crews.length, agents }
  }
}
