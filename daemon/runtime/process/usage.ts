import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { mostFiles } from '../disk/rules.ts'
import type { Usage } from '../disk/usage.ts'

/**
 * Counts what lies in a folder, in a process of its own: the daemon answers meanwhile. Null when there is no such
 * folder.
 */
export async function countFolder(program: string, folder: string): Promise<Usage | null> {
  if (!existsSync(folder)) return null
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(mostFiles), folder], { env: {} })
  return JSON.parse(stdout) as Usage
}
