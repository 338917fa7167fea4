import { Buffer } from 'node:buffer'
import { pack } from 'tar-stream'
import type { RunFile } from '../types.ts'

/** What the folder of a run is called while it is removed, so that it is there whole or not at all. */
export const discarded = '.discarded'
/** Suffixes of a run's paths: its folder, and the files that supervise.sh and end-run.sh make beside it. */
export const traces = ['', discarded, '.run', '.cancel'] as const

/** The archive for `supervise.sh`: the run's files, its FIFO and, last, its standard input. */
export async function bundle(runDir: string, files: RunFile[], stdin: string): Promise<Buffer> {
  const archive = pack()
  const now = new Date()
  for (const { path, content, mode = 0o600, link } of files)
    if (link !== undefined) archive.entry({ name: relative(path), type: 'symlink', linkname: link, mtime: now })
    else archive.entry({ name: relative(path), mode, mtime: now }, content)
  archive.entry({ name: `${relative(runDir)}/alive`, type: 'fifo', mode: 0o640, mtime: now, size: 0 })
  archive.entry({ name: `${relative(runDir)}/in`, mode: 0o600, mtime: now }, stdin)
  archive.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of archive) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function relative(path: string): string {
  if (!path.startsWith('/') || path.split('/').includes('..')) throw new Error(`${path} is not an absolute path`)
  return path.slice(1)
}
