import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { openFile } from './files.ts'
import { pieces } from './processes.ts'

/** Whether the supervisor of a run without a record lives: if `alive` has no writer, it has yet to open it. */
export function hasSupervisor(dir: string): boolean {
  if (read(`${dir}/exit`)) return false
  const args = pieces(`/proc/${Number(read(`${dir}.run`))}/cmdline`)
  return args.includes(basename(dir)) && args.some((it) => it.endsWith('/supervise.sh'))
}

/** A small file; empty when it is absent or too large. */
function read(path: string): string {
  const file = openFile(path)
  if (file === null) return ''
  try {
    return fstatSync(file).size > 1024 ? '' : readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
