import { Buffer, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { inflateRawSync } from 'node:zlib'
import { type FoundVersion, mostTextBytes, packed } from '../../features/blame/recording/service.ts'
import type { ChangedFile, Gap, LeftFiles } from '../../features/runs/receipts/service.ts'
import { RuntimeError } from '../errors.ts'
import type { ChangedAnswer, ChangedRequest, Cut, FoundFile } from '../spool/changed-files.ts'

type Asked = Omit<ChangedRequest, 'op'>

const cuts: ReadonlySet<string> = new Set<Cut>([
  'too_many_entries',
  'too_many_files',
  'too_many_bytes',
  'too_deep',
  'too_slow',
  'unreadable',
  'changing',
])

/** What a search in an agent's folders answered. The agent may have had a hand in it: what does not fit is refused. */
export function foundFiles(
  answer: ChangedAnswer,
  { roots, most }: Asked,
  otherRuns: readonly string[],
  scrub: <T>(value: T) => T,
): LeftFiles {
  const { files, cuts: told } = answer ?? {}
  if (!Array.isArray(files) || !Array.isArray(told) || files.length > most.files) throw refused()
  const listed = files.map((file) => fileOf(file, roots, scrub)).filter((_, at) => !files[at]!.other)
  const gaps = [...new Set(told)].filter((cut): cut is Gap & Cut => cuts.has(cut))
  return {
    complete: gaps.length === 0,
    gaps,
    folders: roots.map(({ path }) => path),
    other_runs: [...otherRuns],
    files: listed.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path))),
  }
}

function fileOf(file: FoundFile, roots: Asked['roots'], scrub: <T>(value: T) => T): ChangedFile {
  const { root, path, size, sha256 } = file ?? {}
  const folder = roots[root]
  if (!folder || typeof path !== 'string' || !Number.isSafeInteger(size) || size < 0) throw refused()
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) throw refused()
  const bytes = Buffer.from(path, 'base64')
  if (!isInside(bytes.toString('latin1'))) throw refused()
  const whole = root === 0 ? bytes : Buffer.concat([Buffer.from(`${folder.path}/`), bytes])
  const text = whole.toString('utf8')
  const shown = scrub(text)
  const scrubbed = shown !== text
  return {
    path: shown,
    ...(scrubbed ? { scrubbed } : !isUtf8(whole) && { path_base64: whole.toString('base64') }),
    size,
    sha256,
  }
}

/** Whether a path stays below the folder in which it was found. */
const isInside = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** How far the texts of a search go. */
export const texts = { fileBytes: mostTextBytes, bytes: 2 * 1024 * 1024 }

/** Bytes of all texts of a search that are kept, however well they were deflated. */
const mostTexts = 8 * 1024 * 1024

/** Who else may have written what a search found. */
export interface Besides {
  /** Another run of the agent was at work meanwhile. */
  ofAgent: boolean
  /** Another run of the crew was. */
  ofCrew: boolean
}

/**
 * The files of a search as they are kept to trace lines back. What belongs to another agent was written in place: by
 * this run, if no other run of the crew was at work; else nobody knows.
 */
export async function versionsOf(
  { files }: ChangedAnswer,
  { roots }: Asked,
  besides: Besides,
  scrub: <T>(value: T) => T,
): Promise<FoundVersion[]> {
  const found: FoundVersion[] = []
  let left = mostTexts
  for (const file of files) {
    const { path, path_base64, scrubbed, size, sha256 } = fileOf(file, roots, scrub)
    if (path_base64 || scrubbed || (file.other && besides.ofCrew)) continue
    // Searching texts for secrets takes a while: others come first.
    if (file.text !== undefined) await setImmediate()
    const text = size <= left ? textOf(file, scrub) : null
    if (text) left -= size
    found.push({
      path: file.root === 0 ? `${roots[0]!.path}/${path}` : path,
      size,
      sha256,
      certain: !(file.root === 0 ? besides.ofAgent : besides.ofCrew),
      made: file.made === true,
      text,
    })
  }
  return found
}

/** The text of a file, if it is the one that was hashed. */
function textOf({ text, sha256 }: FoundFile, scrub: <T>(value: T) => T): Buffer | null {
  if (text === undefined) return null
  if (typeof text !== 'string') throw refused()
  try {
    const content = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: mostTextBytes })
    return createHash('sha256').update(content).digest('hex') === sha256 ? packed(content, scrub) : null
  } catch {
    throw refused()
  }
}

const refused = () => new RuntimeError('refused', 'the search answered something else than files')
