import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is known of a crew after the daemon that started it: one file in the crew's folder. */
export interface CrewState {
  state: 'running' | 'stopped'
  workspaceId: string
  contract: string
  startedAt: string | null
  /** Port of its sidecar, which runs that outlive a daemon find again. */
  port: number
}

export function readState(root: string): CrewState | null {
  try {
    return JSON.parse(readFileSync(join(root, 'crew.json'), 'utf8')) as CrewState
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export function writeState(root: string, state: CrewState): void {
  const next = join(root, 'crew.json.next')
  writeFileSync(next, `${JSON.stringify(state)}\n`, { mode: 0o600 })
  renameSync(next, join(root, 'crew.json'))
}

/** Names of the folders in a folder; none when it is not there. */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((it) => it.isDirectory())
      .map((it) => it.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
