/** How results are written. `auto`: a table on a terminal, tab-separated text elsewhere. */
export const formats = ['table', 'json', 'yaml', 'ndjson', 'name', 'tsv'] as const
export type Format = (typeof formats)[number]

export interface Wanted {
  format: Format | 'auto'
  /** Members that `--json a,b` keeps. */
  fields: string[]
  jq?: string
}

export interface FormatFlags {
  json?: string
  jq?: string
  output?: string
  quiet?: boolean
}

/** Value that stands for `--json` without a list of members. */
export const everything = '*'

/** What the flags ask for: `--json` and `--jq` win over `-o`, which wins over `-q`. */
export function wanted({ json, jq, output, quiet }: FormatFlags): Wanted {
  const fields =
    json && json !== everything
      ? json
          .split(',')
          .map((field) => field.trim())
          .filter(Boolean)
      : []
  const format =
    json !== undefined || jq !== undefined ? 'json' : ((output as Format | undefined) ?? (quiet ? 'name' : 'auto'))
  return { format, fields, ...(jq !== undefined && { jq }) }
}

/** True when a program reads the result: problems are then written as JSON too. */
export const machine = ({ format }: Wanted): boolean => format === 'json' || format === 'ndjson' || format === 'yaml'
