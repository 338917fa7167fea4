import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { buildContainerPrograms } from '../../../build/container-programs.mjs'
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

describe('a discard that was cut short', () => {
  it('is done whole by the next one, and until then nothing counts as begun', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-process-'))
    const runtime = closing(new ProcessRuntime({ folder, programs }))
    const crew = crewSpec()
    await runtime.ensure(crew, quiet)
    const run = runSpec(crew.crewId)
    await runtime.startRun(run)
    await followed(runtime, run)
    const { runs } = runtime.places(crew.crewId, ada)
    renameSync(join(runs, run.runId), join(runs, `${run.runId}.discarded`))
    expect((await followed(runtime, run)).end).toMatchObject({ kind: 'lost', never: true })
    await runtime.discardRun(run)
    expect(readdirSync(runs)).toEqual([])
    await runtime.remove(crew.crewId, { data: true })
    rmSync(folder, { recursive: true })
  })
})

describe('files of a crew', () => {
  it('are marked, compared and put back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-process-'))
    const built = await buildContainerPrograms(join(folder, 'programs'))
    const runtime = closing(new ProcessRuntime({ folder: join(folder, 'crews'), programs: built }))
    const crew = crewSpec()
    const room = { mostBytes: 1e9, reserveBytes: 0 }
    const mark = () => runtime.marks(crew, { op: 'mark', id: 'm', keep: [], ...room }, 60)
    await expect(mark()).rejects.toMatchObject({ kind: 'refused', message: expect.stringMatching(/never ran/) })
    await runtime.ensure(crew, quiet)
    const { output } = runtime.places(crew.crewId, ada)
    writeFileSync(join(output, 'file'), 'one')
    expect(await mark()).toMatchObject({ files: 1 })
    writeFileSync(join(output, 'file'), 'two!')
    const changed = { change: 'changed', path: join(output, 'file') }
    expect(await runtime.marks(crew, { op: 'changes', id: 'm', limit: 10 }, 60)).toMatchObject({ entries: [changed] })
    expect(await runtime.marks(crew, { op: 'restore', id: 'm' }, 60)).toMatchObject({ written: 1, left: 0 })
    expect(readFileSync(join(output, 'file'), 'utf8')).toBe('one')
    await expect(runtime.marks(crew, { op: 'restore', id: 'none' }, 60)).rejects.toThrow(/not there any more/)
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
