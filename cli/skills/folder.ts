import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { InputError } from '../input.ts'
import { makeNewFolder } from '../new-folder.ts'

/** A skill as it lies in a folder. */
export interface SkillFolder {
  content: string
  files: { path: string; content_base64: string; executable: boolean }[]
}

/** What the server takes of a skill. */
const mostBytes = 2 * 1024 * 1024
const mostFiles = 100

/** Reads a folder with a SKILL.md, or that file alone. Links are refused. */
export function skillIn(path: string): SkillFolder {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new InputError(`There is no file or folder ${path}.`)
  if (!found.isDirectory()) return { content: sized(path).toString('utf8'), files: [] }
  const main = join(path, 'SKILL.md')
  if (!lstatSync(main, { throwIfNoEntry: false })?.isFile())
    throw new InputError(`There is no SKILL.md in ${path}.`, 'muster skills init NAME')
  return { content: sized(main).toString('utf8'), files: filesIn(path) }
}

function filesIn(folder: string): SkillFolder['files'] {
  const files: SkillFolder['files'] = []
  let left = mostBytes
  const walk = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below ? `${below}/${entry.name}` : entry.name
      if (path === 'SKILL.md' || entry.name === '.git' || entry.name === 'node_modules') continue
      if (entry.isDirectory()) walk(path)
      else if (!entry.isFile()) throw new InputError(`${join(folder, path)} is no plain file.`)
      else {
        const bytes = sized(join(folder, path), left)
        left -= bytes.length
        if (files.length === mostFiles) throw new InputError(`A skill may have ${mostFiles} files beside SKILL.md.`)
        const executable = (statSync(join(folder, path)).mode & 0o111) !== 0
        files.push({ path, content_base64: bytes.toString('base64'), executable })
      }
    }
  }
  walk('')
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function sized(path: string, left = mostBytes): Buffer {
  if (statSync(path).size > left) throw new InputError('A skill may have 2 MiB, with all its files.')
  return readFileSync(path)
}

interface Written {
  content: string
  files: readonly { path: string; executable: boolean; content_base64?: string }[]
}

/** A path below a folder, whatever a server says. */
const staysBelow = (path: string): boolean =>
  path !== '' && !/[\\\u0000]/.test(path) && path.split('/').every((part) => !['', '.', '..'].includes(part))

/** Writes a skill into a folder that is not there yet, as it was imported. */
export function writeSkill(folder: string, { content, files }: Written): void {
  const odd = files.find(({ path }) => !staysBelow(path))
  if (odd) throw new InputError('The server names a file that is not below the folder of the skill.')
  makeNewFolder(folder)
  writeFileSync(join(folder, 'SKILL.md'), content)
  for (const { path, executable, content_base64 } of files) {
    const to = join(folder, path)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, Buffer.from(content_base64 ?? '', 'base64'), { mode: executable ? 0o755 : 0o644 })
  }
}
