import { Buffer } from 'node:buffer'
import { demultiplex } from './attach.ts'
import { findCrew } from './crews.ts'
import { asking, type Engine } from './engine.ts'
import type { Naming } from './names.ts'

/** The state of a crew's containers, then the last lines of its sidecar's standard error. */
export async function readLogs(engine: Engine, naming: Naming, crewId: string, tail: number): Promise<string> {
  const { crew, sidecar } = await findCrew(engine, naming, crewId)
  const states = [crew, sidecar].flatMap((it) => {
    if (!it) return []
    const { State, Name, RestartCount } = it
    const end = State.Running
      ? ''
      : ` finished=${State.FinishedAt} exit=${State.ExitCode}${State.OOMKilled ? ' out-of-memory' : ''}`
    return [
      `${Name.slice(1)} status=${State.Status} created=${it.Created} started=${State.StartedAt}${end} ` +
        `restarts=${RestartCount}`,
    ]
  })
  const lines = sidecar ? await sidecarLines(engine, sidecar.Id, tail) : []
  return [...states, ...lines].slice(-tail).join('\n')
}

async function sidecarLines(engine: Engine, id: string, tail: number): Promise<string[]> {
  const bytes = await asking('reading logs', () =>
    engine.getContainer(id).logs({ follow: false, stdout: false, stderr: true, timestamps: true, tail }),
  )
  const chunks: Buffer[] = []
  demultiplex((_source, chunk) => chunks.push(chunk))(bytes)
  return Buffer.concat(chunks).toString('utf8').split('\n').filter(Boolean)
}
