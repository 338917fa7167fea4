import { readdir, readFile, readlink } from 'node:fs/promises'
import { RuntimeError } from '../errors.ts'

const listening = '0A'

/** Inodes of the sockets that listen on this port on loopback or on all addresses. */
async function socketsOn(port: number): Promise<Set<string>> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/self/net/${name}`, 'utf8').catch(() => '')),
  )
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = tables.flatMap((table) => table.split('\n')).map((line) => line.trim().split(/\s+/))
  return new Set(
    rows.filter(([, local = '', , state]) => state === listening && local.endsWith(`:${wanted}`)).map((row) => row[9]!),
  )
}

/** Whether a process has one of these sockets open; false for unreadable processes of other users. */
async function holds(pid: string, sockets: Set<string>): Promise<boolean> {
  const open = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const fd of open) {
    const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode && sockets.has(inode)) return true
  }
  return false
}

/**
 * Throws unless every process that listens on the port was started by a run whose environment has this mark. This is
 * not isolation, since an agent of this user can reach those ports anyway; it prevents exposing another program's port
 * by mistake.
 */
export async function checkListener(port: number, mark: string): Promise<void> {
  const sockets = await socketsOn(port)
  const nobody = new RuntimeError('refused', `nobody of the crew listens on port ${port}`)
  if (!sockets.size) throw nobody
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const holders = (await Promise.all(pids.map(async (pid) => ((await holds(pid, sockets)) ? pid : '')))).filter(Boolean)
  const marked = async (pid: string) =>
    (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).split('\0').includes(mark)
  const own = await Promise.all(holders.map(marked))
  if (!own.length || own.includes(false)) throw nobody
}
