import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RuntimeError } from './errors.ts'

export interface Program {
  name: string
  content: Buffer
}

/** The folder that the build fills with what goes into containers. */
export function programsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  return join(folder, 'dist/container')
}

export function loadPrograms(folder: string, names: string[]): Program[] {
  return names.map((name) => {
    try {
      return { name, content: readFileSync(join(folder, name)) }
    } catch (cause) {
      throw new RuntimeError('image', `${join(folder, name)} is missing: run "npm run build"`, { cause })
    }
  })
}

export function digestOf(parts: (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex')
}
