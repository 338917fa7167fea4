import { hash } from 'node:crypto'
import type { Said } from '#kernel/runs'

/** A file that changed in the agent's folders between the start of a run and shortly after its end. */
export interface ChangedFile {
  /** Below the folder of its agent; absolute where it is in a folder that agents share. */
  path: string
  /** The bytes of a path that is no UTF-8 text, in base64. */
  path_base64?: string
  /** A secret was taken out of the path, so that it names no file any more. */
  scrubbed?: true
  size: number
  sha256: string
}

/** Why files may be missing from a list, or why not all that is in it need be the run's. */
export type Gap =
  | 'not_recorded'
  | 'no_program'
  | 'crew_not_running'
  | 'not_confined'
  | 'interrupted'
  | 'failed'
  | 'too_many_entries'
  | 'too_many_files'
  | 'too_many_bytes'
  | 'too_deep'
  | 'too_slow'
  | 'unreadable'
  | 'changing'

/** Files that a run left, as far as they are known. */
export interface LeftFiles {
  /** Every file that changed in these folders and still exists is listed. */
  complete: boolean
  gaps: Gap[]
  folders: string[]
  /** Other runs of the agent that were at work meanwhile, whose files these may be. */
  other_runs: string[]
  files: ChangedFile[]
}

/** What was said in a run, without a word of it. */
export interface SaidHashes {
  /** Of the last message of the agent; null when it said nothing. */
  answer_sha256: string | null
  messages: number
  transcript_sha256: string
}

/** What is known of files when nobody looked. */
export const unknownFiles = (gap: Gap): LeftFiles => ({
  complete: false,
  gaps: [gap],
  folders: [],
  other_runs: [],
  files: [],
})

export const sha256 = (text: string): string => hash('sha256', text)

/** Hashes the messages of a run: each is a line of JSON, its role and its content in a list. */
export function hashesOf(messages: readonly Pick<Said, 'role' | 'content'>[]): SaidHashes {
  const lines = messages.map(({ role, content }) => `${JSON.stringify([role, content])}\n`)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  return {
    answer_sha256: answer ? sha256(answer.content) : null,
    messages: messages.length,
    transcript_sha256: sha256(lines.join('')),
  }
}

/** What a receipt speaks of: the answer, and each file. */
export function subjectsOf(run: string, said: SaidHashes, { files }: LeftFiles) {
  const answer = said.answer_sha256
    ? [{ name: `runs/${run}/answer`, digest: { sha256: said.answer_sha256 }, annotations: { kind: 'answer' } }]
    : []
  return [
    ...answer,
    ...files.map(({ path, size, sha256, path_base64, scrubbed }) => ({
      name: path,
      digest: { sha256 },
      annotations: { kind: 'file', size, ...(path_base64 && { path_base64 }), ...(scrubbed && { scrubbed }) },
    })),
  ]
}
