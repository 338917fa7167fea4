import { spawn } from 'node:child_process'
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const prefix = 'muster-'
const isName = (name: string) => /^[a-z0-9][a-z0-9-]*$/.test(name)

/** A relative folder would let whatever project one stands in add commands. */
const folders = (env: NodeJS.ProcessEnv) => (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** The program on the PATH that adds a command of this name, `muster-NAME`. */
export function extension(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (!isName(name)) return undefined
  return folders(env)
    .map((folder) => join(folder, prefix + name))
    .find(isProgram)
}

/** Names of the commands that programs on the PATH add. */
export function extensions(env: NodeJS.ProcessEnv = process.env): string[] {
  const names = folders(env).flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith(prefix) && isProgram(join(folder, name)))
    } catch {
      return []
    }
  })
  return [...new Set(names.map((name) => name.slice(prefix.length)))].filter(isName).sort()
}

/** Runs a program in place of this one: same terminal, same environment, its exit code. */
export function runExtension(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: process.env })
  // A terminal's Ctrl-C reaches both; the program decides what it means.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      process.off('SIGINT', ignore)
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1))
    })
  })
}
