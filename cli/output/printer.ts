import type { Columns } from './cell.ts'
import { clean, cleanLine } from './clean.ts'
import type { Wanted } from './format.ts'
import { compactJson, missing, prettyJson, select } from './json.ts'
import { colored, painter, type Tone } from './theme.ts'
import { detailTsv, tsv } from './tsv.ts'

/** How one kind of thing is shown: by what name, in which columns, and with which details. */
export interface View<T> {
  name: (row: T) => string
  columns: Columns<T>
  /** Lines of the detailed form; the columns unless given. */
  detail?: Columns<T>
  /** What follows the detailed form, for people: text of any number of lines. */
  below?: (row: T) => string
  /** What to say when a list is empty, with the next command. */
  empty?: string
}

export interface Screen {
  stdout: NodeJS.WriteStream
  pager: boolean
  quiet: boolean
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
    this.terminal = screen.stdout.isTTY === true
    this.paint = painter(colored(screen.stdout))
  }

  // Standard error is opened by its first use, which takes a while, and most commands never use it.
  private say(text: string): void {
    if (!this.screen.quiet) process.stderr.write(`${text}\n`)
  }

  /** A list. `whole` is what the server answered when that is more than the rows. */
  async list<T>(rows: readonly T[], view: View<T>, whole: unknown = rows): Promise<void> {
    if (await this.data(rows, whole, view.name as (row: unknown) => string)) return
    if (!this.tabular) return this.write(tsv(rows, view.columns))
    if (rows.length)
      return this.page((await aligned()).table(rows, view.columns, { width: this.width, paint: this.paint }))
    this.note(view.empty ?? 'Nothing found.')
  }

  /** One thing. */
  async show<T>(row: T, view: View<T>): Promise<void> {
    if (await this.data([row], row, view.name as (row: unknown) => string)) return
    const lines = view.detail ?? view.columns
    if (!this.tabular) return this.write(detailTsv(row, lines))
    const below = view.below?.(row)
    return this.page((await aligned()).detail(row, lines, { paint: this.paint }) + (below ? `\n${clean(below)}\n` : ''))
  }

  /** A value of no known kind: as JSON unless another form is asked for. */
  async value(value: unknown): Promise<void> {
    if (await this.data(Array.isArray(value) ? value : [value], value)) return
    await this.page(`${prettyJson(value, this.paint)}\n`)
  }

  /** What a change did: a sentence for people, the result for programs, its name alone when piped. */
  async done<T>(sentence: string, row?: T, view?: View<T>): Promise<void> {
    this.say(`${painter(colored(process.stderr))('green', '✓')} ${clean((await this.already()) ?? sentence)}`)
    if (row === undefined || row === null) return
    const name = view?.name as ((row: unknown) => string) | undefined
    this.made = name?.(row)
    if (await this.data([row], row, name)) return
    if (this.wanted.format === 'table' && view)
      return this.write((await aligned()).detail(row, view.detail ?? view.columns, { paint: this.paint }))
    if (this.wanted.format === 'tsv' && view) return this.write(detailTsv(row, view.detail ?? view.columns))
    if (!this.terminal && name) this.write(`${cleanLine(name(row))}\n`)
  }

  /** One item of a stream: `line` is what people read. */
  async item(row: unknown, line: string): Promise<void> {
    const { format, fields, jq } = this.wanted
    if (jq !== undefined) return this.write(await this.filtered(row, jq))
    if (format === 'json' || format === 'ndjson') return this.write(`${compactJson(select(row, fields))}\n`)
    if (format === 'yaml') return this.write(`---\n${await yaml(row)}`)
    this.write(`${line}\n`)
  }

  /** Text of servers or agents: cleaned on a terminal, untouched elsewhere. */
  text(text: string): void {
    this.write(this.terminal ? clean(text) : text)
  }

  /** A remark for the person at the terminal; not part of the result. */
  note(text: string, tone?: Tone): void {
    this.say(painter(colored(process.stderr))(tone, clean(text)))
  }

  write(text: string): void {
    this.screen.stdout.write(text)
  }

  get width(): number {
    return this.screen.stdout.columns || 80
  }

  private get tabular(): boolean {
    return this.wanted.format === 'table' || (this.wanted.format === 'auto' && this.terminal)
  }

  /** Writes the formats that programs read; false when the format is one for people. */
  private async data(rows: readonly unknown[], whole: unknown, name?: (row: unknown) => string): Promise<boolean> {
    const { format, fields, jq } = this.wanted
    const absent = missing(rows, fields)
    if (absent.fields.length)
      this.note(`Nothing here has ${absent.fields.join(', ')}; there are ${absent.known.join(', ')}.`, 'yellow')
    if (jq !== undefined) await this.page(await this.filtered(fields.length ? select(rows, fields) : whole, jq))
    else if (format === 'json')
      await this.page(`${prettyJson(fields.length ? select(one(rows, whole), fields) : whole, this.paint)}\n`)
    else if (format === 'ndjson') this.write(rows.map((row) => `${compactJson(select(row, fields))}\n`).join(''))
    else if (format === 'yaml') await this.page(await yaml(whole))
    else if (format === 'name' && name) this.write(rows.map((row) => `${cleanLine(name(row))}\n`).join(''))
    else return false
    return true
  }

  private async filtered(value: unknown, expression: string): Promise<string> {
    const { jq } = await import('./jq.ts')
    const text = await jq(value, expression)
    return this.terminal ? clean(text) : text
  }

  private async page(text: string): Promise<void> {
    const rows = this.screen.stdout.rows || 24
    if (this.terminal && this.screen.pager && text.split('\n').length > rows) {
      const { page } = await import('./pager.ts')
      if (await page(text)) return
    }
    this.write(text)
  }
}

const one = (rows: readonly unknown[], whole: unknown): unknown =>
  whole === rows || Array.isArray(whole) ? rows : rows.length === 1 && rows[0] === whole ? whole : rows

async function yaml(value: unknown): Promise<string> {
  const { cleanYaml } = await import('./yaml.ts')
  return cleanYaml(value)
}
