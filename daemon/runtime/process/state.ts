import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** State of a crew that outlives the daemon, in a file in the crew's folder. */
export interface CrewState {
  state: 'running' | 'stopped'
  workspaceId: string
  contract: string
  startedAt: string | null
  /** Port of its sidecar, kept for runs that outlive the daemon. */
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

/** Names of the folders in a folder; none when it does not exist. */
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
