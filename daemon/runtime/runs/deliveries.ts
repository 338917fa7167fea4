import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import type { AgentDelivery } from '#kernel/runs'
import { placeOf } from '../../features/crews/places/service.ts'
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
