import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { buildContainerPrograms } from '../../build/container-programs.mjs'
import { DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import { newId, runtimeContract } from '../daemon/runtime/runtime-contract.ts'
import { engineAnswers, noteEngine } from '../support/engine.ts'

it.skipIf(engineAnswers)('says why the containers are left out', ({ task }) => noteEngine(task.file))

const folder = mkdtempSync(join(tmpdir(), 'muster-programs-'))
const installation = newId('test')
const docker = new Docker()
let programs: string

const open = () => new DockerRuntime({ prefix: 'muster-test', installation, crewImage: 'muster/crew:local', sidecarImage: 'muster/sidecar:local', programs })
const mine = { filters: { label: [`svc.installation=${installation}`] } }

beforeAll(async () => {
  if (engineAnswers) programs = await buildContainerPrograms(folder)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  if (!engineAnswers) return
  for (const { Id } of await docker.listContainers({ all: true, ...mine })) await docker.getContainer(Id).remove({ force: true })
  for (const { Id } of await docker.listNetworks(mine)) await docker.getNetwork(Id).remove()
  for (const { Name } of (await docker.listVolumes(mine)).Volumes) await docker.getVolume(Name).remove()
  for (const { Id } of await docker.listImages(mine)) await docker.getImage(Id).remove({ force: true })
})

describe.skipIf(!engineAnswers)('docker runtime', () => {
  runtimeContract(async () => ({ open, cleanUp: async () => {} }))
})
