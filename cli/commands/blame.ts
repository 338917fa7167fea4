import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { Fault } from '../fault.ts'
import { InputError } from '../input.ts'
import { agentId, crewId } from '../lookup.ts'
import { blamedLineView, blamedView, linesOf } from '../views/blame.ts'

const unread: Readonly<Record<string, string>> = {
  binary: 'is no text',
  too_large: 'is too large: lines are traced in files of up to 256 KB',
  denied: 'may be read by none of the agents',
}

export default class Blame extends ApiCommand<typeof Blame> {
  static override summary = 'Show for each line of a file which run wrote it, and why'
  static override description =
    'FILE is a path as agents see it, such as /output/ada/report.md. A relative one lies in the folder of --agent, ' +
    'or else in a folder that agents share. With a line it shows the run, the messages that asked for it, and the ' +
    "approvals on the way. Muster keeps how files were when a run had ended; `or before` marks lines of a file's " +
    'first known state, a question mark those that another run may have written.'
  static override result = {
    of: ['blame.show'],
    members: ['line', 'text', 'certain', 'version', 'version.at', 'version.run', 'version.person', 'version.first'],
  }
  static override examples = [
    '$ <%= config.bin %> blame /output/ada/report.md --crew web-team',
    '$ <%= config.bin %> blame src/app.ts:42 --agent ada',
    '$ <%= config.bin %> blame src/app.ts:10-20 --crew web-team --json=line,version.run',
  ]
  static override next = { not_found: 'name the agent in whose folder it lies with --agent; muster files list AGENT' }
  static override args = {
    file: Args.string({ required: true, description: 'path of the file, FILE:LINE or FILE:FROM-TO' }),
  }
  static override flags = {
    crew: Flags.string({ description: 'crew whose file it is; the only one unless given' }),
    agent: Flags.string({ description: 'agent in whose folder the path lies' }),
  }

  async run(): Promise<void> {
    const [, path = '', from, to] = /^(.*?)(?::(\d+)(?:-(\d+))?)?$/s.exec(this.args.file)!
    if (!path) throw new InputError(`"${this.args.file}" names no file.`)
    const one = from !== undefined && to === undefined
    const agent = this.flags.agent === undefined ? undefined : await agentId(this.api, this.flags.agent)
    const query = { path, agent_id: agent, ...(from && { from, to: to ?? from }) }
    const found = await this.api.blame.show({ crewId: await this.crew(agent), query })
    const reason = unread[found.state]
    if (reason) throw new Fault(`${found.path} ${reason}.`)
    if (found.state === 'deleted') this.out.note('The file was deleted; these are its last known lines.', 'yellow')
    else if (!found.live) this.out.note('The crew does not run; these are the last known lines.', 'yellow')
    const lines = linesOf(found)
    if (from !== undefined && !lines.length)
      throw new InputError(`${found.path} has ${found.line_count} lines.`, `name a line up to ${found.line_count}`)
    if (one) return this.out.show(lines[0]!, blamedView)
    await this.out.list(lines, blamedLineView)
  }

  private async crew(agent: string | undefined): Promise<string> {
    if (this.flags.crew !== undefined) return crewId(this.api, this.flags.crew)
    if (agent !== undefined) {
      const { crew_id } = await this.api.agents.show({ agentId: agent })
      if (crew_id) return crew_id
    }
    const crews = await this.api.crews.list({ query: { limit: 2 } })
    if (crews.length === 1) return crews[0]!.id
    throw new InputError('Which crew has the file?', 'name it with --crew, or the agent with --agent')
  }
}
