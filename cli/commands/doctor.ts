import { Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { isLocal, type Session } from '../contexts/session.ts'
import type { Finding } from '../doctor/finding.ts'
import { command, configuration, machine } from '../doctor/here.ts'
import { mend } from '../doctor/mend.ts'
import { ask, reach } from '../doctor/server.ts'
import { findingView, report, summary } from '../doctor/show.ts'
import { exits } from '../failure.ts'

export default class Doctor extends ApiCommand<typeof Doctor> {
  static override summary = 'Diagnose problems and suggest fixes'
  static override description =
    'Checks this command, its configuration, the server with its version and clock, and your account on it. For ' +
    'an admin of the first workspace it adds the checks of the server: runtime, images, orphaned resources, ' +
    'disk, permissions and encryption key. Without a daemon it examines this machine: data folder, database, key, ' +
    'port, disk, clock, engine and images. Exits with 1 if there is a problem; warnings do not count. --fix ' +
    'closes files of yours that others can read, makes a missing data folder, clears away what a killed daemon ' +
    'left and builds missing images; it changes nothing that is stored, and then examines again.'
  static override result = { of: ['system.doctor'], members: ['where'] }
  static override hiddenAliases = ['system:doctor']
  static override examples = [
    '$ <%= config.bin %> doctor',
    '$ <%= config.bin %> doctor --fix',
    '$ <%= config.bin %> doctor --jq \'.[] | select(.status != "ok")\'',
  ]
  static override flags = {
    fix: Flags.boolean({ description: 'fix what is safe to fix, then check again' }),
  }

  async run(): Promise<void> {
    const findings = this.flags.fix ? await this.mended() : await this.progress('Looking around', this.examine())
    const { format } = this.out.wanted
    if (format === 'auto' && this.out.terminal) {
      this.out.write(report(findings, this.out.width, this.out.paint))
      this.out.write(`\n${summary(findings)}.\n`)
    } else await this.out.list(findings, findingView)
    this.finish(findings.some(({ status }) => status === 'fail') ? exits.other : exits.ok)
  }

  /** What is found after everything was mended that can be. */
  private async mended(): Promise<Finding[]> {
    const mended = await mend(await this.progress('Looking around', this.examine()))
    for (const { done, what } of mended) this.out.note(what, done ? 'green' : 'yellow')
    if (!mended.length) this.out.note('There is nothing that can be fixed without you.', 'dim')
    return this.progress('Looking again', this.examine())
  }

  private async examine(): Promise<Finding[]> {
    const session = this.tried()
    const first = [command(this.config.version), configuration(session instanceof Error ? session : null)]
    if (session instanceof Error) return [...first, ...(await machine())]
    const local = isLocal(session)
    const { answers, findings } = await reach(this.connection, { local, version: this.config.version })
    const asked = answers ? await ask(this.api, session) : { known: false, findings: [] }
    const told = new Set(findings.map(({ name }) => name))
    const here = local && !asked.known ? await machine() : []
    return [...first, ...findings, ...asked.findings, ...here.filter(({ name }) => !told.has(name))]
  }

  private tried(): Session | Error {
    try {
      return this.session
    } catch (error) {
      return error as Error
    }
  }
}
