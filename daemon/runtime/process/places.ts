import { mkdir } from 'node:fs/promises'
import type { AgentPlaces, AgentSpec } from '../types.ts'

/** Agents' folders below the crew's. Those that a container keeps in memory are on the disk here. */
export function placesBelow(root: string, { slug }: AgentSpec, sidecarUrl: string): AgentPlaces {
  return {
    home: `${root}/homes/${slug}`,
    output: `${root}/output/${slug}`,
    workspace: `${root}/workspace/${slug}`,
    secrets: `${root}/secrets/${slug}`,
    crewShared: `${root}/shared`,
    workspaceShared: `${root}/workspace-shared`,
    runs: `${root}/spool/${slug}`,
    sidecarUrl,
  }
}

export async function makePlaces({ sidecarUrl: _, ...folders }: AgentPlaces): Promise<void> {
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true, mode: 0o700 })
}
