import { type Columns, plain } from './cell.ts'

/** Rows as tab-separated lines without a header, for other programs. */
export function tsv<T>(rows: readonly T[], columns: Columns<T>): string {
  return rows
    .map(
      (row) =>
        `${Object.values(columns)
          .map((value) => plain(value(row)))
          .join('\t')}\n`,
    )
    .join('')
}

/** One thing as tab-separated name and value lines. */
export function detailTsv<T>(row: T, columns: Columns<T>): string {
  return Object.entries(columns)
    .map(([header, value]) => `${header}\t${plain(value(row))}\n`)
    .join('')
}
