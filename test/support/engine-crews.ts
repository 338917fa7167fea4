import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Docker from 'dockerode'
import { buildContainerPrograms } from '../../build/container-programs.mjs'
import { DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import type { Relayed } from '../../daemon/runtime/relayed.ts'
import type { CrewSpec, SidecarReport } from '../../daemon/runtime/types.ts'
import { crewSpec, newId, quiet } from '../daemon/runtime/runtime-contract.ts'
import { containerOf, removeInstallation } from './engine.ts'

export interface EngineCrew {
  spec: CrewSpec
  crew: Docker.Container
  sidecar: Docker.Container
  reports: SidecarReport[]
}

export interface EngineCrews {
  runtime: DockerRuntime
  installation: string
  prefix: string
  open(more?: Partial<CrewSpec>): Promise<EngineCrew>
  /** Removes every container, network and volume of these crews. */
  close(): Promise<void>
}

/** Crews in real containers under a runtime of their own, without a daemon. */
export async function engineCrews(prefix: string, relayed: readonly Relayed[] = []): Promise<EngineCrews> {
  const installation = newId('crews')
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`))
  const programs = await buildContainerPrograms(folder)
  const runtime = new DockerRuntime({
    prefix,
    installation,
    crewImage: 'muster/crew:local',
    sidecarImage: 'muster/sidecar:local',
    programs,
    relayed,
  })
  rmSync(folder, { recursive: true }) // they are in the runtime's memory now
  return {
    runtime,
    installation,
    prefix,
    async open(more = {}) {
      const spec = crewSpec(more)
      const reports: SidecarReport[] = []
      runtime.onSidecarReport((crewId, report) => void (crewId === spec.crewId && reports.push(report)))
      await runtime.ensure(spec, quiet)
      const [crew, sidecar] = await Promise.all([containerOf(spec.crewId), containerOf(spec.crewId, 'sidecar')])
      return { spec, crew, sidecar, reports }
    },
    async close() {
      await runtime.close()
      await removeInstallation(installation)
    },
  }
}
