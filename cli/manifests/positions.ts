import { type Document, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from 'yaml'

export type Path = readonly (string | number)[]

/** A document of a file, with where each part of it stands. */
export interface Source {
  /** The file as it was named; `-` is standard input. */
  file: string
  /** The folder that its own files stand below. */
  folder: string
  document: Document.Parsed
  lines: LineCounter
  /** Where it stands in what was read, if that is a list of documents. */
  at?: Path
}

/** Where a place in a document begins, or the nearest place around it that was written. */
export const startOf = ({ document, at = [] }: Source, path: Path): number =>
  offsetOf(document.contents, [...at, ...path]) ?? document.range[0]

/** `FILE:LINE:COL` of such a place. */
export function placeOf(source: Source, path: Path): string {
  const { file, lines } = source
  const { line, col } = lines.linePos(startOf(source, path))
  return `${file}:${line}:${col}`
}

function offsetOf(node: unknown, path: Path): number | undefined {
  const own = (node as Node | null)?.range?.[0]
  const [first, ...rest] = path
  if (first === undefined) return own
  if (isMap(node)) {
    const pair = node.items.find((it) => keyOf(it) === String(first))
    if (!pair) return own
    const key = (pair.key as Node | null)?.range?.[0]
    return rest.length ? (offsetOf(pair.value, rest) ?? key) : key
  }
  if (isSeq(node) && typeof first === 'number' && node.items[first] !== undefined)
    return offsetOf(node.items[first], rest)
  return own
}

const keyOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key)
