import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { RuntimeError } from '../errors.ts'
import type { FullRequest, MarksRequest } from '../marks/wire.ts'

/** Room for what the program prints: two thousand paths, or a text. */
const maxBuffer = 32 * 1024 * 1024

/** Marks the folders of a crew in a separate process. Agents are the same user here, and could reach the marks. */
export async function askMarksHere(
  program: string,
  root: string,
  request: MarksRequest,
  seconds: number,
): Promise<string> {
  if (!existsSync(join(root, 'output'))) throw new RuntimeError('refused', 'the crew has no files yet: it never ran')
  const roots = ['output', 'shared', 'workspace', 'workspace-shared'].map((name) => ({
    shown: join(root, name),
    at: join(root, name),
  }))
  const full: FullRequest = { ...request, store: join(root, 'marks'), roots, seconds }
  const { PATH } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(full)], {
    env: { ...(PATH && { PATH }) },
    maxBuffer,
  }).catch((error: Error & { stderr?: string }) => {
    throw new RuntimeError('refused', error.stderr?.trim().slice(-500) || error.message, { cause: error })
  })
  return stdout
}
