import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { momentOf } from '../flags.ts'
import { InputError } from '../input.ts'
import { Names } from '../journal/names.ts'
import { tellState } from '../journal/onwards.ts'
import { newest } from '../journal/past.ts'
import { type LogLine, separated, shown } from '../logs/line.ts'
import { Logs as Reading } from '../logs/logs.ts'
import { subjectOf } from '../logs/subject.ts'

const tailed = 200

export default class Logs extends ApiCommand<typeof Logs> {
  static override summary = 'Show what an agent, a run or a crew did'
  static override description =
    'Shows in one order how runs began and ended, what they were asked, did and said, what became of the containers ' +
    'of the crew, and which connections were refused. With -f it goes on, also over a restart of the daemon; the ' +
    'logs of a run end with it. Without a terminal a line is tab-separated: time, level, source, agent or crew, run, ' +
    'text.\n\nWhere a crew and an agent have one name, write agent/NAME or crew/NAME.'
  static override result = { members: ['ts', 'level', 'source', 'who', 'run_id', 'text'] }
  static override examples = [
    '$ <%= config.bin %> logs ada -f',
    '$ <%= config.bin %> logs web-team --since 2h --grep refused',
    '$ <%= config.bin %> logs RUN --tail 50',
    '$ <%= config.bin %> logs ada -f -o ndjson > ada.ndjson',
  ]
  static override args = {
    subject: Args.string({ required: true, description: 'slug or id of an agent or a crew, or id of a run' }),
  }
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'go on with what comes' }),
    since: Flags.string({ helpValue: 'WHEN', description: 'begin then: a time, or how long ago, as 2h' }),
    tail: Flags.integer({ min: 0, max: 10_000, default: tailed, helpValue: 'N', description: 'lines of what was' }),
    grep: Flags.string({ helpValue: 'PATTERN', description: 'only lines that match this regular expression' }),
  }

  async run(): Promise<void> {
    const { follow, grep, tail } = this.flags
    const since = momentOf(this.flags.since, '--since')
    const pattern = grep === undefined ? null : patternOf(grep)
    const subject = await subjectOf(this.api, this.args.subject)
    const logs = new Reading({
      api: this.api,
      connection: this.connection,
      names: new Names(this.api, this.session.workspace),
      subject,
      tail,
      since,
      wanted: ({ text }) => pattern === null || pattern.test(text),
      onState: tellState(this.out),
    })
    // Noted first: whatever is written from now on comes after it.
    const [mark = null] = follow ? await newest(this.api, {}, 1) : []
    for (const line of await logs.past()) await this.tell(line)
    if (!follow || subject.run?.finished_at) return
    for await (const line of logs.live(mark)) await this.tell(line)
  }

  private async tell(line: LogLine): Promise<void> {
    const { format } = this.out.wanted
    const people = format === 'table' || (format === 'auto' && this.out.terminal)
    await this.out.item(
      line,
      people
        ? shown(line, this.out.paint, this.out.terminal ? this.out.width : Number.POSITIVE_INFINITY)
        : separated(line),
    )
  }
}

function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch (error) {
    throw new InputError(`--grep must be a regular expression, not "${text}": ${reasonOf(error as Error)}.`)
  }
}

/** What is wrong with it, behind the expression that the engine repeats. */
const reasonOf = ({ message }: Error): string => message.split(': ').at(-1)!
