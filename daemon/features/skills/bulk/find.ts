import { RE2JS } from 're2js'
import { mostSkillFiles } from '#contract/skills'
import type { TreeFile } from '../git/tree.ts'

/** A folder with a SKILL.md, and what stands in it. */
export interface Found {
  /** Path of its SKILL.md. */
  path: string
  id: string
  files: { path: string; id: string; executable: boolean }[]
  /** Why it cannot be imported. */
  wrong?: string
}

/** The skills of a repository, by path: a file is of the innermost folder with a SKILL.md. */
export function skillsIn(files: readonly TreeFile[], globs: readonly string[]): Found[] {
  const found = new Map<string, Found>()
  for (const { path, id, kind } of files) {
    if (!/(?:^|\/)SKILL\.md$/.test(path)) continue
    const wrong = kind === 'link' || kind === 'submodule' ? `SKILL.md is a ${kind}` : undefined
    found.set(path.slice(0, -'SKILL.md'.length), { path, id, files: [], ...(wrong && { wrong }) })
  }
  for (const { path, id, kind } of files) {
    const folder = folderOf(path, found)
    const skill = folder === undefined ? undefined : found.get(folder)
    if (!skill || path === skill.path) continue
    const below = path.slice(folder!.length)
    if (kind === 'link' || kind === 'submodule') skill.wrong ??= `${shownPath(below)} is a ${kind}`
    else skill.files.push({ path: below, id, executable: kind === 'executable' })
  }
  for (const skill of found.values())
    if (skill.files.length > mostSkillFiles) skill.wrong ??= `A skill may have ${mostSkillFiles} files beside SKILL.md`
  const wanted = globs.map(matcher)
  return [...found.values()]
    .filter(({ path }) => !wanted.length || wanted.some((matches) => matches(path) || matches(parentOf(path))))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The innermost folder of a file that has a skill. */
function folderOf(path: string, skills: ReadonlyMap<string, unknown>): string | undefined {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    const folder = path.slice(0, end + 1)
    if (skills.has(folder)) return folder
  }
  return skills.has('') ? '' : undefined
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** A path of a repository as it may be told: without characters that people do not see. */
export const shownPath = (path: string): string => path.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)

/** `*` and `?` within a name, `**` over folders. */
function matcher(glob: string): (path: string) => boolean {
  const pattern = glob
    .replace(/^\/+|\/+$/g, '')
    .split(/(\*\*\/?|\*|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:.*/)?'
      if (part === '**') return '.*'
      if (part === '*') return '[^/]*'
      return part === '?' ? '[^/]' : RE2JS.quote(part)
    })
    .join('')
  const compiled = RE2JS.compile(pattern, RE2JS.DOTALL)
  return (path) => compiled.matches(path)
}
