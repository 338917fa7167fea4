import { isUtf8 } from 'node:buffer'
import type { ChangedFile, Gap, LeftFiles } from '../../features/runs/receipts/service.ts'
import { RuntimeError } from '../errors.ts'
import type { ChangedAnswer, ChangedRequest, Cut } from '../spool/changed-files.ts'

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
  const listed = files.map((file) => fileOf(file, roots, scrub))
  const gaps = [...new Set(told)].filter((cut): cut is Gap & Cut => cuts.has(cut))
  return {
    complete: gaps.length === 0,
    gaps,
    folders: roots.map(({ path }) => path),
    other_runs: [...otherRuns],
    files: listed.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path))),
  }
}

function fileOf(file: ChangedAnswer['files'][number], roots: Asked['roots'], scrub: <T>(value: T) => T): ChangedFile {
  const { root, path, size, sha256 } = file ?? {}
  const folder = roots[root]
  if (!folder || typeof path !== 'string' || !Number.isSafeInteger(size) || size < 0) throw refused()
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) throw refused()
  const bytes = Buffer.from(path, 'base64')
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

const refused = () => new RuntimeError('refused', 'the search answered something else than files')
