import { hash } from 'node:crypto'
import { mostSkillFiles, skillBytes, skillFileBytes } from '#contract/skills'
import { problem } from '#kernel/problem'

/** A file beside SKILL.md. */
export interface SkillFile {
  path: string
  executable: boolean
  content: Buffer
}

const refuse = (detail: string): never => {
  throw problem('skill_invalid', { field: 'files', detail })
}

const quoted = (path: string) => `"${path.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)}"`

/** Why a path cannot be that of a file of a skill; null when it can. */
export function wrongPath(path: string): string | null {
  const parts = path.split('/')
  if (!/^[A-Za-z0-9._@+ -]+(?:\/[A-Za-z0-9._@+ -]+)*$/.test(path) || path.length > 200 || parts.length > 8)
    return 'must be a path of letters, digits and . _ @ + - below the folder, with at most 200 characters'
  if (parts.some((part) => /^[. ]+$/.test(part) || part.trim() !== part)) return 'must stay below its folder'
  if (parts[0]!.toLowerCase() === 'skill.md') return 'is taken: SKILL.md is the content'
  if (parts.some((part) => part.toLowerCase() === '.git')) return 'must not be within .git'
  return null
}

/** The files of a skill, checked: paths that stay below its folder, each once, and sizes. */
export function checkedFiles(content: string, files: readonly SkillFile[]): SkillFile[] {
  if (files.length > mostSkillFiles) refuse(`A skill may have ${mostSkillFiles} files beside SKILL.md`)
  const taken = new Set<string>()
  let bytes = Buffer.byteLength(content)
  for (const { path, content: held } of files) {
    const wrong = wrongPath(path)
    if (wrong) refuse(`The file ${quoted(path)} ${wrong}`)
    if (taken.has(path.toLowerCase())) refuse(`The file ${quoted(path)} is given twice`)
    taken.add(path.toLowerCase())
    if (held.length > skillFileBytes) refuse(`The file ${quoted(path)} is larger than ${skillFileBytes / 1024} KiB`)
    bytes += held.length
  }
  for (const path of taken)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      if (taken.has(path.slice(0, at))) refuse(`The file ${quoted(path.slice(0, at))} is a folder as well`)
  if (bytes > skillBytes) refuse(`A skill may have ${skillBytes / 1024 / 1024} MiB`)
  return [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
}

export const sha256 = (content: Buffer): string => hash('sha256', content)
