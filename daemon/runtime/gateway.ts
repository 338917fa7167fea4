import type { App } from '#kernel/app'
import { isObject } from '#kernel/http/json-bounds'
import { problem } from '#kernel/problem'
import { agentInBrief } from '../features/agents/service.ts'
import { networkOf } from '../features/crews/containers/service.ts'
import { answerServer } from '../features/integrations/gateway/service.ts'
import { workingOfAgent } from '../features/runs/service.ts'
import { createScrubber } from './adapters/scrub.ts'
import { keptWhile } from './kept-while.ts'
import { runOfProgram } from './runs/program.ts'
import { canonicalHost, compilePolicy } from './sidecar/policy.ts'
import { isCalled } from './sidecar-config.ts'
import type { Runtime, ServerProgram, SidecarAnswer, SidecarCall } from './types.ts'

const scrubberOf = keptWhile((secrets) => createScrubber(secrets))

/**
 * Answers what an agent asks one of its servers. Its key is good for that while a run of it is at work, and no longer.
 */
export async function answerGateway(
  app: App,
  runtime: Runtime,
  crewId: string,
  { agentId, runId: named, body }: SidecarCall,
  signal: AbortSignal,
): Promise<SidecarAnswer> {
  const agent = agentInBrief(app, agentId)
  const network = networkOf(app, crewId)
  if (!agent || agent.crew_id !== crewId || !network) throw problem('not_found')
  const working = workingOfAgent(app, agentId)
  const asked = named === null ? null : runOfProgram(named)
  const run = asked === null && working.length === 1 ? working[0] : working.find(({ id }) => id === asked)
  if (!run) throw problem('not_found', { detail: 'No run of this agent is at work that could use its servers' })
  if (!isObject(body)) throw problem('invalid_json')
  const { server, method, params } = body
  if (typeof server !== 'string' || typeof method !== 'string' || !isObject(params)) throw problem('invalid_json')
  const restricted = network.mode === 'free' && isCalled(app, agentId, working)
  const rules = compilePolicy(restricted ? { ...network, mode: 'restricted' } : network)
  const caller = {
    agent,
    runId: run.id,
    signal,
    // A client that starts gives up on a server that does not list its tools soon.
    waits: method === 'tools/call',
    restricted,
    start: (program: ServerProgram) => runtime.startServer(crewId, program),
    permits: (hostname: string) => {
      const host = canonicalHost(hostname)
      return host !== null && rules.permitsHost(host)
    },
    scrubber: (secrets: readonly string[]) => scrubberOf(secrets.join('\0'), secrets).clean,
  }
  return { status: 200, body: await answerServer(app, caller, { server, method, params }) }
}
