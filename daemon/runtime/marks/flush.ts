import { spawnSync } from 'node:child_process'

/** Waits until all that was written to the file system of a path is on the disk. */
export function flush(path: string): void {
  const { status, stderr, error } = spawnSync('sync', ['-f', '--', path], { encoding: 'utf8' })
  if (error) throw error
  if (status === 0) return
  const code = /no space left|quota exceeded/i.test(stderr) ? 'ENOSPC' : 'EIO'
  throw Object.assign(new Error(`what was written is not on the disk: ${stderr.trim()}`), { code })
}
