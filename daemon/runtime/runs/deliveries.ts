import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { AgentDelivery, ProgramEnd, ShortProgram } from '#kernel/runs'
import { placeOf } from '../../features/crews/places/service.ts'
import { proxyEnv } from '../adapters/adapter.ts'
import { RuntimeError } from '../errors.ts'
import { runtimeProblem } from '../status.ts'
import type { Runtime } from '../types.ts'

const stopped = (error: unknown): boolean => error instanceof RuntimeError && error.kind === 'not_running'

/** Writes a file into the crew of an agent. */
export async function deliver(app: App, runtime: Runtime, agentId: string, file: AgentDelivery): Promise<string> {
  const place = placeOf(app, agentId)
  if (!place)
    throw problem('crew_not_running', { detail: 'The agent belongs to no crew, so it has no place for files' })
  try {
    await runtime.deliver(place.crewId, place.agent, file)
  } catch (error) {
    throw stopped(error) ? problem('crew_not_running') : runtimeProblem(error)
  }
  return runtime.places(place.crewId, place.agent).output
}

/** Runs a short program in the crew of an agent, as the agent. What it fetches goes through the crew's sidecar. */
export async function command(
  app: App,
  runtime: Runtime,
  agentId: string,
  { env, ...program }: ShortProgram,
): Promise<ProgramEnd> {
  const place = placeOf(app, agentId)
  if (!place) throw problem('crew_not_running', { detail: 'The agent belongs to no crew' })
  const { sidecarUrl, home } = runtime.places(place.crewId, place.agent)
  try {
    const around = { HOME: home, ...proxyEnv(sidecarUrl), ...env }
    return await runtime.command(place.crewId, place.agent, { ...program, env: around })
  } catch (error) {
    throw stopped(error) ? problem('crew_not_running') : runtimeProblem(error)
  }
}

/** Removes a folder of files; what has no place has none. */
export async function withdraw(app: App, runtime: Runtime, agentId: string, folder: string): Promise<boolean> {
  const place = placeOf(app, agentId)
  try {
    if (place) await runtime.withdraw(place.crewId, place.agent, folder)
    return true
  } catch (error) {
    if (error instanceof RuntimeError) return false
    throw error
  }
}
