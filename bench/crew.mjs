// A warm crew on the engine for the benchmarks of the runtime.
import { randomBytes } from 'node:crypto'
import { buildContainerPrograms } from '../build/container-programs.mjs'
import { load, scratch } from './support.mjs'

export const agent = { agentId: 'bench', slug: 'bench', uid: 20001 }

/**
 * Brings a crew up, hands over runtime, crew and its container as dockerode sees it, and removes everything at the end.
 */
export async function withCrew(work) {
  const { DockerRuntime } = await load('daemon/runtime/docker/runtime.ts')
  const { connectEngine } = await load('daemon/runtime/docker/engine.ts')
  const programs = await buildContainerPrograms(scratch())
  const installation = `bench${randomBytes(6).toString('hex')}`
  const runtime = new DockerRuntime({
    prefix: 'muster-bench',
    installation,
    crewImage: 'muster/crew:local',
    sidecarImage: 'muster/sidecar:local',
    programs,
  })
  const crewId = `c${randomBytes(8).toString('hex')}`
  const engine = connectEngine()
  try {
    const network = { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false }
    await runtime.ensure(
      { crewId, slug: 'bench', workspaceId: 'bench', image: '', memoryMb: 2048, cpus: 2, network, agents: [agent] },
      { step() {} },
    )
    const [{ containerId }] = await runtime.observe(crewId)
    await work({ runtime, crewId, engine, container: engine.getContainer(containerId) })
  } finally {
    await runtime.remove(crewId, { data: true })
    await runtime.close()
    for (const { Id } of await engine.listImages({ filters: { label: [`svc.installation=${installation}`] } }))
      await engine.getImage(Id).remove({ force: true })
  }
}

let runs = 0

/** Starts a run and reads it to its end; resolves with the bytes of its output. */
export async function runOnce(runtime, crewId, argv, seen = () => {}) {
  const run = { crewId, runId: `r${process.pid}x${++runs}`, agent }
  await runtime.startRun({ ...run, argv, env: {}, files: [], stdin: '', timeoutSeconds: 600 })
  let bytes = 0
  await new Promise((resolve, reject) => {
    runtime.follow(run, 0, {
      data(chunk) {
        bytes += chunk.length
        seen(chunk)
      },
      end: (end) => (end.kind === 'exit' && end.code === 0 ? resolve() : reject(new Error(JSON.stringify(end)))),
      broken: reject,
    })
  })
  return { bytes, run }
}
