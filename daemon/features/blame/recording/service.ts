import { type Buffer, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { App } from '#kernel/app'
import { queries } from '../queries.ts'

/** Files of more bytes are not kept as texts. */
export const mostTextBytes = 256 * 1024
/** What a version takes besides its text. */
const rowBytes = 300
/** Versions that are dropped at a time when a crew's are too many. */
const dropped = 200

/** A file that a run left, or that a person saved. */
export interface FoundVersion {
  /** As agents see it, from the root. */
  path: string
  sha256: string
  size: number
  certain: boolean
  /** It was not there before. */
  made: boolean
  /** Without secrets, raw deflate; null for what is no text, or too large. */
  text: Buffer | null
}

interface Writer {
  workspace_id: string
  crew_id: string
  run_id: string | null
  user_id: string | null
}

/** Records how files are now, where they differ from what is on record. To be called within a change. */
export function noteVersions(app: App, by: Writer, found: readonly FoundVersion[]): void {
  const room = app.config.crewHistoryMb * 1024 ** 2
  if (room === 0) return
  const { newest, insert, taken, dropOldest } = queries(app.db)
  for (const { path, certain, made, text, ...file } of found) {
    if (newest.get({ crew: by.crew_id, path }) === file.sha256) continue
    const bytes = rowBytes + (text?.length ?? 0)
    insert.run({ ...by, ...file, path, at: app.clock(), certain: +certain, made: +made, text, bytes })
  }
  while (taken.get(by.crew_id)! > room) dropOldest.run({ crew: by.crew_id, count: dropped })
}

/** Records what a person saved as a file of an agent. To be called within a change. */
export function noteSave(
  app: App,
  { workspace_id, crew_id, id }: { workspace_id: string; crew_id: string | null; id: string },
  { path, content, made }: { path: string; content: Buffer; made: boolean },
  user_id: string,
): void {
  if (crew_id === null || app.config.crewHistoryMb === 0) return
  const text = packed(content, app.scrub({ workspace_id, agent_id: id }, []))
  const file = { path, size: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  noteVersions(app, { workspace_id, crew_id, run_id: null, user_id }, [{ ...file, certain: true, made, text }])
}

/** A text as it is kept; null for what is none. */
export function packed(content: Buffer, scrub: <T>(value: T) => T): Buffer | null {
  if (content.length > mostTextBytes || content.includes(0) || !isUtf8(content)) return null
  return deflateRawSync(scrub(content.toString('utf8')))
}

/** Forgets the files of a crew. */
export const forgetCrew = ({ db }: App, crew: string): void => void queries(db).forgetCrew.run(crew)
