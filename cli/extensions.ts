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

/** A program that adds a command. */
export interface Found {
  name: string
  path: string
}

/** The program on the PATH that adds a command of this name, `muster-NAME`. */
export function extension(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (!isName(name)) return undefined
  return folders(env)
    .map((folder) => join(folder, prefix + name))
    .find(isProgram)
}

/** All programs that add commands, by name, and of the same name in the order of the PATH. */
export function programs(env: NodeJS.ProcessEnv = process.env): Found[] {
  const found = [...new Set(folders(env))].flatMap((folder) =>
    filesOf(folder)
      .filter((file) => file.startsWith(prefix) && isName(file.slice(prefix.length)) && isProgram(join(folder, file)))
      .map((file) => ({ name: file.slice(prefix.length), path: join(folder, file) })),
  )
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Names of the commands that programs on the PATH add. */
export const extensions = (env: NodeJS.ProcessEnv = process.env): string[] => [
  ...new Set(programs(env).map(({ name }) => name)),
]

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
