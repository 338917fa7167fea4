import { Flags } from '@oclif/core'
import type { Connection } from '#client'
import type { DryRun } from '#contract/dry-run'
import { Fault } from './fault.ts'
import { type Written, written } from './local-change.ts'
import { cleanLine } from './output/clean.ts'
import { compactJson } from './output/json.ts'
import type { Printer } from './output/printer.ts'

/**
 * What the build read of a command that changes something. `dry`: all that it changes can be tried. `local`: it changes
 * files of this machine and nothing else.
 */
export interface Changing {
  dry: boolean
  local?: boolean
}

const helpGroup = 'CHANGE'

const unchangedFlag = {
  'error-unchanged': Flags.boolean({ helpGroup, description: 'exit with 9 when everything was so already' }),
}
const dryFlag = {
  'dry-run': Flags.boolean({ helpGroup, description: 'change nothing: show what would be recorded and answered' }),
}

const localFlag = {
  'dry-run': Flags.boolean({ helpGroup, description: 'change nothing: show what would be stored on this machine' }),
}

export type ChangeFlags = { 'error-unchanged'?: boolean; 'dry-run'?: boolean }

/** Gives a command that changes something the flags that all of these have. */
export function addFlags(command: { baseFlags: object }, { dry, local }: Changing): void {
  if (local) command.baseFlags = { ...command.baseFlags, ...localFlag }
  else command.baseFlags = { ...command.baseFlags, ...(dry && dryFlag), ...unchangedFlag }
}

/** Told of a file that would be written: where it is, what it holds and would hold. */
export type Trying = (path: string, before: object, after: object) => never

/** What would have been done, and whether that is nothing because it is so already. */
export interface Outcome {
  answer: DryRun | Written
  unchanged: boolean
}

/** Ends a command at its first change, which was only tried. */
export class Tried extends Error {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('This was a dry run.')
    this.outcome = outcome
  }
}

/** The same connection, on which changes are tried instead of made. */
export function tryingOnly(connection: Connection): Connection {
  return {
    ...connection,
    async stream(method, path, options) {
      if (method !== 'GET') throw new Fault(`There is no dry run of ${method} ${path}`)
      return connection.stream(method, path, options)
    },
    async request(method, path, options) {
      if (method === 'GET' || method === 'HEAD') return connection.request(method, path, options)
      const to = `${path}${path.includes('?') ? '&' : '?'}dry_run=true`
      const { headers, body } = await connection.request(method, to, options)
      throw new Tried({ answer: read(String(body)), unchanged: headers['muster-unchanged'] === 'true' })
    },
  }
}

/** An older server takes no notice of the parameter, and has made the change. */
function read(text: string): DryRun {
  const answer = text ? (JSON.parse(text) as Partial<DryRun>) : {}
  if (answer.dry_run !== true) throw new Error('This server knows no dry runs: it has made the change')
  return answer as DryRun
}

/** Shows what the changes would have done: sentences for people, the answers themselves for programs. */
export async function showTried(out: Printer, outcomes: readonly Outcome[]): Promise<void> {
  const { format, jq } = out.wanted
  const answers = outcomes.map(({ answer }) => answer)
  if (jq !== undefined || ['json', 'ndjson', 'yaml'].includes(format))
    return out.value(answers.length === 1 ? answers[0] : answers)
  for (const outcome of outcomes) out.write(sentences(outcome))
  out.note('This was a dry run: nothing was changed.', 'dim')
}

/** Ends a command where it would write a file of this machine. */
export const tryHere: Trying = (path, before, after) => {
  const answer = written(path, before, after)
  throw new Tried({ answer, unchanged: answer.changes.length === 0 })
}

function sentences({ answer, unchanged }: Outcome): string {
  if (unchanged) return 'Would change nothing: it is so already.\n'
  return 'file' in answer ? ofFile(answer) : ofServer(answer)
}

function ofFile({ file, changes }: Written): string {
  const shown = (value: string | null) => (value === null ? 'nothing' : cleanLine(value))
  const lines = changes.map(({ member, before, after }) => `  ${member}: ${shown(after)} (now ${shown(before)})\n`)
  return `Would write ${file}:\n${lines.join('')}`
}

function ofServer({ status, body, entries }: DryRun): string {
  const recorded = entries.length
    ? entries.map(({ summary }) => `Would record: ${cleanLine(summary)}\n`).join('')
    : nothing
  const answered = body === null ? '' : ` ${compactJson(body)}`
  return `${recorded}Would answer: ${status}${answered}\n`
}

const nothing = 'Would record nothing in the journal.\n'
