import { type Client, ProblemError } from '#client'
import type { Entry } from '#contract/entries'
import { InputError } from '../input.ts'
import { NotFound } from '../lookup/find.ts'
import { agentId, crewId } from '../lookup.ts'

/** Whose logs: those of a crew, of one of its agents, or of one run. */
export interface Subject {
  crew: string
  agent: string | null
  run: { id: string; started_at: string; finished_at: string | null } | null
}

type Find = (api: Client, name: string) => Promise<Subject>

const kinds: Readonly<Record<'run' | 'agent' | 'crew', Find>> = {
  run: async (api, name) => {
    const { id, agent_id, started_at, finished_at } = await api.runs.show({ runId: name })
    const { crew } = await kinds.agent(api, agent_id ?? '')
    return { crew, agent: agent_id, run: { id, started_at, finished_at } }
  },
  agent: async (api, name) => {
    const agent = await api.agents.show({ agentId: await agentId(api, name) })
    return { crew: agent.crew_id ?? '', agent: agent.id, run: null }
  },
  crew: async (api, name) => ({
    crew: (await api.crews.show({ crewId: await crewId(api, name) })).id,
    agent: null,
    run: null,
  }),
}

/** What a name stands for; `agent/NAME`, `crew/NAME` and `run/ID` say which it is. */
export async function subjectOf(api: Client, given: string): Promise<Subject> {
  const [, kind, name] = /^(agent|crew|run)\/(.+)$/.exec(given) ?? []
  if (kind && name) return kinds[kind as keyof typeof kinds](api, name)
  const found = await Promise.all([
    known(kinds.run(api, given)),
    known(kinds.agent(api, given)),
    known(kinds.crew(api, given)),
  ])
  const subjects = found.filter((it) => it !== null)
  if (subjects.length > 1)
    throw new InputError(`Both an agent and a crew are called "${given}".`, `muster logs agent/${given}`)
  if (!subjects[0])
    throw new NotFound(
      'agent, run or crew',
      given,
      undefined,
      'muster agents list, muster runs list, muster crews list',
    )
  return subjects[0]
}

async function known(finding: Promise<Subject>): Promise<Subject | null> {
  try {
    return await finding
  } catch (error) {
    if (error instanceof NotFound || (error instanceof ProblemError && error.problem.status === 404)) return null
    throw error
  }
}

/** Whether an entry of the crew is about the subject: what happens to its container concerns each of its agents. */
export function concerns({ agent, run }: Subject, { agent_id, trace_id, entry_type }: Entry): boolean {
  if (run) return trace_id === run.id || (agent_id === agent && entry_type.startsWith('network.'))
  return agent === null || agent_id === agent || !agent_id
}
