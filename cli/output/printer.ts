import type { Columns } from './cell.ts'
import { clean, cleanLine, cleanPainted } from './clean.ts'
import type { Wanted } from './format.ts'
import { compactJson, prettyJson, select } from './json.ts'
import { type Members, membersOf, requireMembers } from './members.ts'
import type { Template } from './template.ts'
import { atTerminal, colored, painter, type Tone } from './theme.ts'
import { detailTsv, tsv } from './tsv.ts'

/** How one kind of thing is shown: by what name, in which columns, and with which details. */
export interface View<T> {
  name: (row: T) => string
  /** The name or the id first, then what matters most; the age last. */
  columns: Columns<T>
  /** What `-o wide` shows besides. */
  wide?: Columns<T>
  /** Lines of the detailed form; the columns unless given. */
  detail?: Columns<T>
  /** What follows the detailed form: text of any number of lines, below a line of `--` for programs. */
  below?: (row: T) => string
  /** What to say when a list is empty, with the next command. */
  empty?: string
}

export interface Screen {
  stdout: NodeJS.WriteStream
  pager: boolean
  quiet: boolean
  /** Members that JSON may have; anything when unknown. */
  members?: Members | undefined
  template?: Template | undefined
  /** Told of a list that a person sees, by the ids of its rows. */
  shown?: (ids: string[]) => Promise<void>
}

// Measuring text takes tables of characters, which only tables need.
const aligned = () => import('./table.ts')

/** Writes results in the wanted format. */
export class Printer {
  readonly wanted: Wanted
  readonly screen: Screen
  readonly paint
  readonly terminal: boolean
  /** What to say of a change that found everything so already; undefined after any other. */
  already: () => Promise<string | undefined> = async () => undefined
  /** The name of what the last change made. */
  made: string | undefined

  constructor(wanted: Wanted, screen: Screen) {
    this.wanted = wanted
    this.screen = screen
    this.terminal = atTerminal(screen.stdout)
    this.paint = painter(colored(screen.stdout))
  }

  // Standard error is opened by its first use, which takes a while, and most commands never use it.
  private say(text: string): void {
    if (!this.screen.quiet) process.stderr.write(`${text}\n`)
  }

  /** A list: for programs these rows and nothing else. */
  async list<T>(rows: readonly T[], view: View<T>): Promise<void> {
    const { members } = this.screen
    this.require(members && (members.rows ?? members.of), rows)
    if (await this.data(rows, rows, view.name as (row: unknown) => string)) return
    if (!this.tabular) return this.write(tsv(rows, view.columns))
    if (!rows.length) return this.note(view.empty ?? 'Nothing found.')
    if (this.terminal) await this.screen.shown?.(rows.map((row) => idOf(row) ?? view.name(row)))
    const columns = this.wanted.wide ? widened(view) : view.columns
    const form = { width: this.width, paint: this.paint, uncut: this.wanted.uncut === true }
    const { text, left } = (await aligned()).table(rows, columns, form)
    await this.page(text)
    if (left.length) this.note(`Left out: ${left.join(', ')}. Next: -o wide`, 'dim')
  }

  /** One thing. */
  async show<T>(row: T, view: View<T>): Promise<void> {
    this.require(this.screen.members?.of, [row])
    if (await this.data([row], row, view.name as (row: unknown) => string)) return
    const lines = view.detail ?? view.columns
    const below = clean(view.below?.(row) ?? '')
    if (!this.tabular) return this.write(detailTsv(row, lines) + (below && `--\n${below.replace(/^\n+/, '')}\n`))
    return this.page((await aligned()).detail(row, lines, this.form) + (below && `\n${below}\n`))
  }

  /** A value of no known kind: as JSON unless another form is asked for. `strict` refuses members that it lacks. */
  async value(value: unknown, { strict = false } = {}): Promise<void> {
    const rows = Array.isArray(value) ? value : [value]
    if (strict) this.require(undefined, rows)
    const { nameOf, viewOf } = await import('./any-view.ts')
    if (await this.data(rows, value, nameOf)) return
    if (this.wanted.format === 'auto') return this.page(`${prettyJson(value, this.paint)}\n`)
    await (Array.isArray(value) ? this.list(rows, viewOf(rows)) : this.show(value, viewOf(rows)))
  }

  /** What a change did: a sentence for people, the result for programs, its name alone when piped. */
  async done<T>(sentence: string, row?: T, view?: View<T>): Promise<void> {
    this.say(`${painter(colored(process.stderr))('green', '✓')} ${clean((await this.already()) ?? sentence)}`)
    if (row === undefined || row === null) return
    const name = view?.name as ((row: unknown) => string) | undefined
    this.made = name?.(row)
    if (await this.data([row], row, name)) return
    if (this.wanted.format === 'table' && view)
      return this.write((await aligned()).detail(row, view.detail ?? view.columns, this.form))
    if (this.wanted.format === 'tsv' && view) return this.write(detailTsv(row, view.detail ?? view.columns))
    if (!this.terminal && name) this.write(`${cleanLine(name(row))}\n`)
  }

  /** One item of a stream: `line` is what people read. */
  async item(row: unknown, line: string): Promise<void> {
    const { format, fields, jq } = this.wanted
    const { template } = this.screen
    if (jq !== undefined) return this.write(await this.filtered(select(row, fields), jq))
    if (template) return this.write(this.safe(template.write(select(row, fields))))
    if (format === 'json' || format === 'ndjson') return this.write(`${compactJson(select(row, fields))}\n`)
    if (format === 'yaml') return this.write(`---\n${await yaml(select(row, fields))}`)
    this.write(`${cleanPainted(line)}\n`)
  }

  /** Text of servers or agents: cleaned on a terminal, untouched elsewhere. */
  text(text: string): void {
    this.write(this.safe(text))
  }

  /** A remark for the person at the terminal; not part of the result. */
  note(text: string, tone?: Tone): void {
    this.say(painter(colored(process.stderr))(tone, clean(text)))
  }

  write(text: string): void {
    this.screen.stdout.write(text)
  }

  /** Lines are folded where a person reads them, unless they are to stay whole. */
  private get form() {
    const fold = this.terminal && !this.wanted.uncut
    return { paint: this.paint, width: fold ? this.width : undefined }
  }

  get width(): number {
    return Number(process.env['SVC_FORCE_TTY']) || this.screen.stdout.columns || 80
  }

  private get tabular(): boolean {
    const { format } = this.wanted
    return format === 'table' || (format === 'auto' && this.terminal)
  }

  /** Refuses members that neither the contract nor any of these rows has. */
  private require(known: readonly string[] | undefined, rows: readonly unknown[]): void {
    const fields = this.screen.template?.fields ?? this.wanted.fields
    if (fields.length && (known || rows.length)) requireMembers(fields, [...(known ?? []), ...membersOf(rows)])
  }

  /** Writes the formats that programs read; false when the format is one for people. */
  private async data(rows: readonly unknown[], value: unknown, name?: (row: unknown) => string): Promise<boolean> {
    const { format, fields, jq } = this.wanted
    const { template } = this.screen
    if (jq !== undefined) await this.page(await this.filtered(select(value, fields), jq))
    else if (template) await this.page(this.safe(template.write(select(value, fields))))
    else if (format === 'json') await this.page(`${prettyJson(select(value, fields), this.paint)}\n`)
    else if (format === 'ndjson') this.write(rows.map((row) => `${compactJson(select(row, fields))}\n`).join(''))
    else if (format === 'yaml') await this.page(await yaml(select(value, fields)))
    else if (format === 'name' && name) this.write(rows.map((row) => `${cleanLine(name(row))}\n`).join(''))
    else return false
    return true
  }

  private async filtered(value: unknown, expression: string): Promise<string> {
    const { jq } = await import('./jq.ts')
    return this.safe(await jq(value, expression))
  }

  private safe(text: string): string {
    return this.terminal ? clean(text) : text
  }

  private async page(text: string): Promise<void> {
    const rows = this.screen.stdout.rows || 24
    if (this.screen.stdout.isTTY && this.screen.pager && text.split('\n').length > rows) {
      const { page } = await import('./pager.ts')
      if (await page(text)) return
    }
    this.write(text)
  }
}

/** The columns with those of `-o wide` before the age. */
function widened<T>({ columns, wide = {} }: View<T>): Columns<T> {
  const { AGE, ...rest } = columns
  return { ...rest, ...wide, ...(AGE && { AGE }) }
}

const idOf = (row: unknown): string | undefined => {
  const id = typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined
  return typeof id === 'string' ? id : undefined
}

async function yaml(value: unknown): Promise<string> {
  const { cleanYaml } = await import('./yaml.ts')
  return cleanYaml(value)
}
