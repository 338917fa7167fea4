import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Document, isMap, isScalar, LineCounter, parseAllDocuments, type Scalar, visit } from 'yaml'
import { fileBytes, InputError, stdinBytes } from '../input.ts'
import { Mistakes } from './mistakes.ts'
import { placeOf, type Source } from './positions.ts'

/** Bytes of a file. */
const fileLimit = 4 * 1024 * 1024
/** Aliases that one document may be read into. */
const mostAliases = 100
/** Characters that the documents of a file may have once its aliases are written out. */
const mostCharacters = 8 * 1024 * 1024

/** A document as it was written, and as it is. */
export interface Manifest {
  source: Source
  value: Record<string, unknown>
}

/** The documents of files, of the files of folders, or of standard input; refuses them with all mistakes. */
export async function readManifests(names: readonly string[]): Promise<Manifest[]> {
  const mistakes: string[] = []
  const manifests: Manifest[] = []
  for (const name of names.flatMap(filesOf)) manifests.push(...read(name, await textOf(name), mistakes))
  if (mistakes.length) throw new Mistakes(mistakes)
  if (!manifests.length)
    throw new InputError(`There are no documents in ${names.map(calledAs).join(', ')}.`, 'muster export')
  return manifests
}

const calledAs = (name: string): string => (name === '-' ? 'standard input' : name)

/** A folder stands for its files of YAML and JSON, by name; those of folders below are of their documents. */
function filesOf(name: string): string[] {
  if (name === '-') return [name]
  const found = statSync(name, { throwIfNoEntry: false })
  if (!found) throw new InputError(`There is no file or folder ${name}.`)
  if (!found.isDirectory()) return [name]
  const files = readdirSync(name).filter((it) => /\.(ya?ml|json)$/.test(it) && !it.startsWith('.'))
  return files.sort().map((it) => join(name, it))
}

async function textOf(name: string): Promise<string> {
  const bytes = name === '-' ? await stdinBytes() : fileBytes(name)
  if (bytes.length > fileLimit) throw new InputError(`${name} has more than 4 MiB.`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InputError(`${name} is not text in UTF-8.`)
  }
}

/** Documents nested past what fits into memory are refused like any other. */
function read(name: string, text: string, mistakes: string[]): Manifest[] {
  try {
    return parsed(name, text, mistakes)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new InputError(`${name} is nested too deeply.`)
  }
}

function parsed(name: string, text: string, mistakes: string[]): Manifest[] {
  const file = calledAs(name)
  const folder = name === '-' ? '.' : dirname(name)
  const lines = new LineCounter()
  const found: Manifest[] = []
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, strict: true, uniqueKeys: true })
  for (const document of 'empty' in documents ? [] : documents) {
    const source: Source = { file, folder, document, lines }
    const at = (offset: number) => {
      const { line, col } = lines.linePos(offset)
      return `${file}:${line}:${col}`
    }
    for (const { message, pos } of [...document.errors, ...document.warnings])
      mistakes.push(`${at(pos[0])}: ${sentence(message)}`)
    if (document.errors.length || isEmpty(document)) continue
    for (const { offset, key } of unusable(document)) mistakes.push(`${at(offset)}: No member may be called ${key}`)
    const value = mappingOf(source, mistakes)
    // What `muster export -o json` writes is a list of documents.
    if (Array.isArray(value))
      found.push(...value.map((it, index) => ({ source: { ...source, at: [index] }, value: it })))
    else if (value) found.push({ source, value })
  }
  return found
}

/** What stands behind the last `---`, as in a file that ends with it. */
const isEmpty = ({ contents }: Document.Parsed): boolean =>
  contents === null || (isScalar(contents) && contents.value === null)

/** Members that no program takes, since they would change what all objects are. */
function unusable(document: Document.Parsed): { offset: number; key: string }[] {
  const found: { offset: number; key: string }[] = []
  visit(document, {
    Pair(_, { key, value }) {
      const name = isScalar(key) ? key.value : null
      if (name === '__proto__' || (name === 'constructor' && isMap(value) && value.has('prototype')))
        found.push({ offset: (key as Scalar).range?.[0] ?? 0, key: name })
    },
  })
  return found
}

/** The first line of what the parser says; it tells the end of its own stack like a mistake. */
const sentence = (message: string): string =>
  /call stack/i.test(message) ? 'It is nested too deeply' : message.split('\n')[0]!.replace(/\.$/, '')

type Mapping = Record<string, unknown>
const isMapping = (it: unknown): it is Mapping => typeof it === 'object' && it !== null && !Array.isArray(it)

function mappingOf(source: Source, mistakes: string[]): Mapping | Mapping[] | undefined {
  const refuse = (why: string) => void mistakes.push(`${placeOf(source, [])}: ${why}`)
  try {
    const value: unknown = source.document.toJS({ maxAliasCount: mostAliases })
    const isList = Array.isArray(value) && value.length > 0 && value.every(isMapping)
    if (!isList && !isMapping(value)) refuse('A document must be a mapping with apiVersion, kind and metadata')
    else if (JSON.stringify(value).length > mostCharacters) refuse('Written out, its aliases are too much')
    else return value
  } catch (error) {
    const { message } = error as Error
    const missing = /^Unresolved alias .*: (.+)$/.exec(message)?.[1]
    if (missing) mistakes.push(`${placeOfAlias(source, missing)}: There is no anchor &${missing} before it`)
    else refuse(/alias/i.test(message) ? 'Its anchors and aliases grow without bound' : sentence(message))
  }
  return undefined
}

/** Where the first alias of that name stands. */
function placeOfAlias({ file, document, lines }: Source, name: string): string {
  let offset = document.range[0]
  visit(document, {
    Alias(_, node) {
      if (node.source !== name) return undefined
      offset = node.range?.[0] ?? offset
      return visit.BREAK
    },
  })
  const { line, col } = lines.linePos(offset)
  return `${file}:${line}:${col}`
}
