import { InputError } from '../input.ts'

/** How results are written. `auto`: a table on a terminal, tab-separated text elsewhere. */
export const formats = ['table', 'wide', 'json', 'yaml', 'ndjson', 'name', 'tsv'] as const
export type Format = Exclude<(typeof formats)[number], 'wide'>

export interface Wanted {
  format: Format | 'auto'
  /** Members that `--json=a,b` keeps. */
  fields: string[]
  jq?: string
  template?: string
  /** Nothing is shortened to fit the terminal. */
  uncut?: boolean
  /** A table with its further columns. */
  wide?: boolean
}

export interface FormatFlags {
  json?: string
  jq?: string
  template?: string
  output?: string
  quiet?: boolean
  'no-trunc'?: boolean
}

/** Value that stands for `--json` without a list of members. */
export const everything = '*'

const structured: readonly string[] = ['json', 'yaml', 'ndjson']

/** What the flags ask for. Flags that contradict each other are refused; `-q` yields to any other form. */
export function wanted(flags: FormatFlags): Wanted {
  const { json, jq, template, quiet } = flags
  refuseContradictions(flags)
  const fields = json && json !== everything ? json.split(',').map((field) => field.trim()) : []
  const wide = flags.output === 'wide'
  const output = wide ? 'table' : (flags.output as Format | undefined)
  const asked = json !== undefined || jq !== undefined || template !== undefined
  return {
    format: output ?? (asked ? 'json' : quiet ? 'name' : 'auto'),
    fields: fields.filter(Boolean),
    ...(jq !== undefined && { jq }),
    ...(template !== undefined && { template }),
    ...((flags['no-trunc'] || wide) && { uncut: true }),
    ...(wide && { wide }),
  }
}

function refuseContradictions({ json, jq, template, output }: FormatFlags): void {
  if (jq !== undefined && template !== undefined)
    throw new InputError('--jq and --template cannot be combined.', 'repeat with one of them')
  const writer = jq !== undefined ? '--jq' : '--template'
  if ((jq ?? template) !== undefined && output !== undefined && output !== 'json')
    throw new InputError(`${writer} cannot be combined with -o ${output}.`, 'repeat with one of them')
  if (json !== undefined && output !== undefined && !structured.includes(output))
    throw new InputError(`--json cannot be combined with -o ${output}.`, 'repeat with one of them')
}

/** True when a program reads the result: problems are then written as JSON too. */
export const machine = ({ format }: Wanted): boolean => structured.includes(format)
