import { Args } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { InputError } from '../input.ts'
import { subjectOf } from '../logs/subject.ts'
import { type Screen, ShellSession } from '../shell/session.ts'

const reasons: Readonly<Record<string, string>> = {
  container: 'The crew was stopped.',
  daemon: 'The server stopped.',
  refused: 'You may not use this shell any more.',
  replaced: 'Another terminal has taken it over.',
  signed_out: 'Your session was revoked.',
  too_long: 'A shell ends after twelve hours.',
}

export default class Shell extends ApiCommand<typeof Shell> {
  static override summary = "Open a terminal in a crew's container, as one of its agents"
  static override description =
    "Works with the agent's own rights, in its output folder. A crew stands for its lead, or for its only agent. A " +
    'lost connection is taken up again within a minute. The journal says who had a shell and for how long, never ' +
    'what was typed. Takes the role MANAGER; the policy strict allows no shells.'
  static override examples = ['$ <%= config.bin %> shell ada', '$ <%= config.bin %> shell backend']
  static override args = {
    subject: Args.string({ required: true, description: 'slug or id of an agent or a crew' }),
  }

  async run(): Promise<void> {
    const asked = await this.place(this.args.subject)
    if (process.stdin.isTTY !== true || process.stdout.isTTY !== true)
      throw new InputError('A shell needs a terminal.', 'muster ask AGENT TEXT')
    const screen: Screen = {
      size: () => ({ rows: process.stdout.rows, cols: process.stdout.columns }),
      show: (bytes) => void process.stdout.write(bytes),
      note: (text) => void process.stderr.write(`\r\n${text}\r\n`),
    }
    const session = new ShellSession(this.connection, asked, screen)
    const reason = await atTerminal(session)
    if (reasons[reason]) this.out.note(reasons[reason], 'yellow')
  }

  private async place(given: string): Promise<{ crew_id: string; agent_slug?: string }> {
    const { crew, agent } = await subjectOf(this.api, given)
    if (!agent) return { crew_id: crew }
    const { crew_id, slug } = await this.api.agents.show({ agentId: agent })
    if (!crew_id) throw new InputError(`${slug} has no crew, so it has no container.`)
    return { crew_id, agent_slug: slug }
  }
}

/** Gives the session every key, and the terminal back at the end, whatever the end is. */
async function atTerminal(session: ShellSession): Promise<string> {
  const { stdin, stdout } = process
  const type = (bytes: Buffer) => session.type(bytes)
  const resize = () => session.resize()
  const leave = () => session.leave()
  stdin.setRawMode(true)
  stdin.on('data', type).resume()
  stdout.on('resize', resize)
  process.on('SIGTERM', leave).on('SIGHUP', leave)
  try {
    return await session.run()
  } finally {
    stdin.setRawMode(false)
    stdin.off('data', type).pause()
    stdout.off('resize', resize)
    process.off('SIGTERM', leave).off('SIGHUP', leave)
  }
}
