import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import type { BackupLevel } from '#contract/backup'
import type { Member } from '#kernel/bundle/members'
import { connectEngine, type Engine } from '../runtime/docker/engine.ts'
import type { Naming } from '../runtime/docker/names.ts'
import { readVolume } from '../runtime/docker/volume-archive.ts'
import type { CrewRow } from './queries.ts'
import { treeOf } from './tree.ts'

/** What crews work on is in the standard backup; their agents' homes and the output of runs in the full one. */
const folders = {
  standard: ['shared', 'workspace-shared', 'output', 'workspace'],
  full: ['shared', 'workspace-shared', 'output', 'workspace', 'homes', 'spool'],
}

/** Folders of each volume that a backup takes; none named is everything. */
const volumes: Record<'standard' | 'full', Record<string, readonly string[]>> = {
  standard: { crew: ['shared'], workspace: [], output: [] },
  full: { crew: [], workspace: [], output: [], spool: [] },
}

/** The files of crews without containers: below the data folder, secrets left out. */
export async function* filesOfProcesses(dataDir: string, crews: readonly CrewRow[], level: BackupLevel) {
  if (level === 'quick') return
  for (const { id } of crews)
    for (const folder of folders[level]) yield* treeOf(join(dataDir, 'crews', id, folder), `data/crews/${id}/${folder}`)
}

/** The volumes of crews in containers. */
export async function* filesOfContainers(
  naming: Naming,
  image: string,
  crews: readonly CrewRow[],
  level: BackupLevel,
  engine: Engine = connectEngine(),
): AsyncGenerator<Member> {
  if (level === 'quick') return
  for (const { id: crewId, slug, workspace_id: workspaceId } of crews)
    for (const [volume, only] of Object.entries(volumes[level])) {
      const spec = { crewId, slug, workspaceId }
      const tar = await readVolume(engine, naming, spec, image, volume, only)
      if (tar) yield* renamed(tar, `volumes/${crewId}/${volume}`)
    }
}

const kinds: Partial<Record<string, Member['type']>> = { file: 'file', directory: 'directory', symlink: 'symlink' }

/** The members of an archive below another name. What is no file, folder or link is left out. */
async function* renamed(tar: Readable, below: string): AsyncGenerator<Member> {
  const entries = extract()
  tar.on('error', (error) => entries.destroy(error))
  tar.pipe(entries as unknown as NodeJS.WritableStream)
  try {
    for await (const entry of entries) {
      const { name, type, mode, uid, gid, mtime, size, linkname } = entry.header
      const kind = kinds[type ?? 'file']
      const path = name.replace(/^\.\/?/, '').replace(/\/+$/, '')
      const head = {
        name: path ? `${below}/${path}` : below,
        mode: (mode ?? 0o600) & 0o7777,
        uid: uid ?? 0,
        gid: gid ?? 0,
        ...(mtime && { mtime }),
      }
      if (kind === 'file') yield { ...head, type: kind, size: size ?? 0, content: entry as AsyncIterable<Buffer> }
      else if (kind === 'directory') yield { ...head, type: kind }
      else if (kind === 'symlink' && linkname) yield { ...head, type: kind, linkname }
      if (kind !== 'file' || !size) entry.resume()
    }
  } finally {
    // Whoever gives up half-way leaves no container that waits to be read.
    tar.destroy()
  }
}
