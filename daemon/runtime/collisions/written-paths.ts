import { posix } from 'node:path'

/** Names of tools that write the file that they name, whoever's client has them. */
const writing =
  /^(?:multi|notebook|file|search)?_?(?:write|edit|create|replace|change|patch|apply_?patch)(?:_file)?s?$/i
/** Members of a tool's input that name a file. */
const naming = ['file_path', 'filePath', 'notebook_path', 'path', 'absolute_path', 'target_file']
/** More than a tool writes at once. */
const mostPaths = 100

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const named = (input: unknown): string[] =>
  naming.flatMap((member) => {
    const value = record(input)[member]
    return typeof value === 'string' && value.length <= 4096 ? [value] : []
  })

/** The header of each file in a patch, as clients send patches in a text. */
const patched = (input: unknown): string[] =>
  Object.values(record(input)).flatMap((value) =>
    typeof value === 'string' && value.includes('*** ')
      ? [...value.slice(0, 100_000).matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path!)
      : [],
  )

/** The files that a tool call writes, as absolute paths; none where the tool only reads, or names no file. */
export function writtenPaths(tool: string, input: unknown, folder: string): string[] {
  if (!writing.test(tool.split('__').at(-1)!)) return []
  const changes = record(input)['changes']
  const each = [input, ...(Array.isArray(changes) ? changes.slice(0, mostPaths) : [])]
  const found = [...each.flatMap(named), ...patched(input)].slice(0, mostPaths)
  return [...new Set(found.map((path) => posix.resolve(folder, path)))]
}
