import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { ProcessRuntime } from '../../../daemon/runtime/process/runtime.ts'
import { server } from '../../support/server.ts'
import { ada, crewSpec, followed, quiet, runSpec, runtimeContract } from './runtime-contract.ts'

const programs = new URL('../../../daemon/runtime/spool/', import.meta.url).pathname

describe('ports of other processes', () => {
  it('are not shown, though they are on the same machine', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-process-'))
    const runtime = closing(new ProcessRuntime({ folder, programs }))
    const crew = crewSpec()
    await runtime.ensure(crew, quiet)
    const { port } = await server((_, response) => response.end('not for agents'))
    await expect(runtime.connect(crew.crewId, port)).rejects.toMatchObject({ kind: 'refused' })
    await runtime.remove(crew.crewId, { data: true })
    rmSync(folder, { recursive: true })
  })
})

describe('a run that is discarded', () => {
  it('does not come back while what it left is ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-process-'))
    const runtime = closing(new ProcessRuntime({ folder, programs }))
    const crew = crewSpec()
    await runtime.ensure(crew, quiet)
    const run = runSpec(crew.crewId)
    await runtime.startRun(run)
    await followed(runtime, run)
    await Promise.all([runtime.endLeft(crew.crewId, ada), runtime.discardRun(run), runtime.endLeft(crew.crewId, ada)])
    expect(readdirSync(runtime.places(crew.crewId, ada).runs)).toEqual([])
    await runtime.remove(crew.crewId, { data: true })
    rmSync(folder, { recursive: true })
  })
})

describe('process runtime', () => {
  runtimeContract(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-process-'))
    return {
      open: () => new ProcessRuntime({ folder, programs }),
      cleanUp: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
})
