import { resolve } from 'node:path'
import { Flags } from '@oclif/core'
import { createClient } from '#client'
import { ApiCommand } from '../command.ts'
import { localSocket } from '../contexts/session.ts'
import { runtime } from '../doctor/runtime.ts'
import { durationMs } from '../flags.ts'
import { running, start } from '../local/daemon.ts'
import { logFile } from '../local/log.ts'
import { daemonView } from '../views/daemon.ts'

export default class Up extends ApiCommand<typeof Up> {
  static override summary = 'Start the daemon in the background'
  static override description =
    'Waits until the daemon is ready. It keeps its data and its log in $SVC_DATA_DIR, or in ' + '~/.local/share/muster.'
  static override result = { members: ['url', 'socket', 'pid', 'version', 'uptime'] }
  static override examples = ['$ <%= config.bin %> up', '$ <%= config.bin %> up --port 0 --container-provider process']
  static override next = {
    failed: 'muster doctor',
    storage_refused: 'free space there, then muster up',
    state_lost: 'restore a backup of the data folder, or muster up --accept-data-loss',
  }
  static override flags = {
    host: Flags.string({ description: 'address to listen on' }),
    port: Flags.integer({ min: 0, max: 65_535, description: 'port to listen on; 0 picks a free one' }),
    'container-provider': Flags.string({
      options: ['docker', 'process'],
      description: 'container runtime that agents run in',
    }),
    config: Flags.string({ helpValue: 'FILE', description: 'configuration file of the daemon' }),
    'accept-data-loss': Flags.boolean({
      description: 'start even though stored data is lost, as the last refusal said',
    }),
    timeout: Flags.string({ default: '60s', helpValue: 'DURATION', description: 'maximum time to wait' }),
  }

  async run(): Promise<void> {
    const before = await running()
    if (before) {
      await this.out.done(`The daemon is already running${before.url ? ` at ${before.url}` : ''}.`, before, daemonView)
      this.warnOfFlags()
      await this.warnOfRuntime()
      return
    }
    const { host, port, config, timeout } = this.flags
    const given = {
      host,
      port,
      'container-provider': this.flags['container-provider'],
      config: config && resolve(config),
    }
    const words = Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    )
    if (this.flags['accept-data-loss']) words.push('--accept-data-loss')
    const ready = await this.progress(
      'Starting the daemon',
      start(words, { timeout: durationMs(timeout, '--timeout') ?? 60_000 }),
    )
    await this.out.done(`Muster ${ready.version} is ready at ${ready.url}. Its log: ${logFile()}`, ready, daemonView)
    const { needs_bootstrap } = await createClient({ server: localSocket() }).system.setup()
    await this.warnOfRuntime()
    if (needs_bootstrap) this.out.note('Next: muster init', 'dim')
  }

  /** What is set for a daemon counts when it starts. */
  private warnOfFlags(): void {
    const { host, port, config, 'container-provider': provider } = this.flags
    const given = Object.entries({ host, port, config, 'container-provider': provider })
    const names = given.filter(([, value]) => value !== undefined).map(([name]) => `--${name}`)
    if (!names.length) return
    this.out.note(
      `It goes on as it was started, without ${names.join(', ')}. Next: muster down, then muster up`,
      'yellow',
    )
  }

  /** Without an engine or its images no agent can work: better told now than at the first question. */
  private async warnOfRuntime(): Promise<void> {
    const findings = await this.progress(
      'Looking for an engine',
      runtime(process.env, this.flags['container-provider']),
    )
    for (const { name, detail, fix } of findings.filter(({ status }) => status === 'fail')) {
      const lead = name === 'settings' ? 'The next daemon would not start' : 'Agents cannot run yet'
      this.out.note(`${lead}. ${detail}`, 'yellow')
      this.out.note(`Ways out: ${fix}`)
    }
  }
}
