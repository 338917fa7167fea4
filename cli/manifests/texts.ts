import { realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileBytes } from '../input.ts'
import { skillIn } from '../skills/folder.ts'
import { Mistakes } from './mistakes.ts'
import { type Path, placeOf } from './positions.ts'
import type { Manifest } from './reading.ts'

type Json = Record<string, unknown>

const promptLimit = 64 * 1024

/** Puts the texts of files in place of their names: `prompt_file` of agents, `path` of skills. */
export function withTexts(manifests: readonly Manifest[]): void {
  const mistakes: string[] = []
  for (const manifest of manifests) fill(manifest, manifest.value, [], mistakes)
  if (mistakes.length) throw new Mistakes(mistakes)
}

function fill(manifest: Manifest, value: unknown, path: Path, mistakes: string[]): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, it] of value.entries()) fill(manifest, it, [...path, index], mistakes)
    return
  }
  const members = value as Json
  const attempt = (member: string, read: (named: string) => Json) => {
    const named = members[member]
    if (named === undefined) return
    try {
      if (typeof named !== 'string' || !named) throw new Error(`${member} must be a path`)
      Object.assign(members, read(named))
      delete members[member]
    } catch (error) {
      mistakes.push(`${placeOf(manifest.source, [...path, member])}: ${(error as Error).message}`)
    }
  }
  if (holdsPrompt(manifest, path)) attempt('prompt_file', (named) => ({ prompt: prompt(manifest, members, named) }))
  if (holdsSkill(manifest, path)) attempt('path', (named) => skill(manifest, members, named))
  for (const [name, it] of Object.entries(members)) fill(manifest, it, [...path, name], mistakes)
}

/** An agent: an item of a list of them, or the `spec` of its document. */
const holdsPrompt = ({ value }: Manifest, path: Path): boolean =>
  path.at(-2) === 'agents' || (value['kind'] === 'Agent' && path.length === 1 && path[0] === 'spec')

const holdsSkill = ({ value }: Manifest, path: Path): boolean =>
  path.at(-2) === 'skills' || (value['kind'] === 'Skill' && path.length === 1 && path[0] === 'spec')

function prompt(manifest: Manifest, { prompt: other }: Json, named: string): string {
  if (other !== undefined) throw new Error('Give one of prompt and prompt_file')
  return textOf(inside(manifest, named), promptLimit)
}

function skill(manifest: Manifest, { inline }: Json, named: string): Json {
  if (inline !== undefined) throw new Error('Give one of inline and path')
  const folder = inside(manifest, named)
  if (!statSync(folder).isDirectory()) throw new Error(`${named} is no folder`)
  const { content, files } = skillIn(folder)
  const given = files.map(({ executable, ...file }) => ({ ...file, ...(executable && { executable }) }))
  return { inline: content, ...(given.length && { files: given }) }
}

/** A path below the folder of the manifest, also once links are followed: a manifest reads no other files. */
function inside({ source }: Manifest, named: string): string {
  const [root, found] = [realpathSync(source.folder), realpath(join(source.folder, named), named)]
  if (found !== root && !found.startsWith(root + sep))
    throw new Error(`${named} is not below the folder of the manifest`)
  return found
}

function realpath(path: string, named: string): string {
  try {
    return realpathSync(path)
  } catch {
    throw new Error(`There is no file ${named}`)
  }
}

function textOf(path: string, limit: number): string {
  if (!statSync(path).isFile()) throw new Error(`${path} is no plain file`)
  if (statSync(path).size > limit) throw new Error(`${path} has more than ${limit / 1024} KiB`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fileBytes(path))
  } catch (error) {
    throw error instanceof TypeError ? new Error(`${path} is not text in UTF-8`) : error
  }
}
