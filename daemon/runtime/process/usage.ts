import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { mostFiles } from '../disk/rules.ts'
import type { Usage } from '../disk/usage.ts'

/** Measures a folder in a separate process, so that the daemon is not blocked. Null when the folder does not exist. */
export async function countFolder(program: string, folder: string): Promise<Usage | null> {
  if (!existsSync(folder)) return null
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(mostFiles), folder], { env: {} })
  return JSON.parse(stdout) as Usage
}
