/**
 * Works on an agent's files as that agent: `node -e PROGRAM REQUEST`, where the request is JSON and the content of a
 * file comes on standard input. Answers with JSON.
 */
import { Buffer } from 'node:buffer'
import type { FileEntry } from '../types.ts'
import { type ChangedRequest, changedFiles } from './changed-files.ts'
import { listInside } from './files.ts'
import { readText, type TextRequest } from './read-text.ts'
import { type SaveRequest, saveFile } from './save-file.ts'

export type FilesRequest =
  | ({ op: 'save' } & SaveRequest)
  | { op: 'list'; root: string; path: string; depth: number }
  | ChangedRequest
  | TextRequest

const mostEntries = 2000

function listLevels(root: string, folder: string, depth: number, found: FileEntry[]): FileEntry[] {
  for (const entry of listInside(root, folder, false)) {
    if (found.length === mostEntries) break
    found.push(entry)
    if (entry.is_dir && depth > 1) listReadable(root, entry.path, depth - 1, found)
  }
  return found
}

/** A folder that may not be read looks empty. */
function listReadable(root: string, folder: string, depth: number, found: FileEntry[]): void {
  try {
    listLevels(root, folder, depth, found)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}

async function input(size: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  const content = Buffer.concat(chunks)
  if (content.length !== size) throw new Error(`only ${content.length} of ${size} bytes arrived`)
  return content
}

async function answer(request: FilesRequest): Promise<unknown> {
  if (request.op === 'list') return listLevels(request.root, request.path, request.depth, [])
  if (request.op === 'changed') return changedFiles(request)
  if (request.op === 'text') return readText(request)
  return saveFile(request, await input(request.size))
}

answer(JSON.parse(process.argv.at(-1)!) as FilesRequest).then(
  (it) => process.stdout.write(JSON.stringify(it)),
  (error: Error) => {
    process.stderr.write(error.message)
    process.exitCode = 1
  },
)
