import type { Reply } from '#contract/define'
import type { integrations } from '#contract/integrations'
import type { App } from '#kernel/app'
import { singleFlight } from '#kernel/jobs/single-flight'
import { plainLine } from '#kernel/plain-line'
import { noteUse } from '../../credentials/delivery/service.ts'
import { desiredCrews } from '../../crews/containers/service.ts'
import { openStreams } from '../gateway/streams.ts'
import { programOf } from '../programs/program.ts'
import type { ServerRow } from '../queries.ts'
import { Unusable } from '../sessions/service.ts'

type Outcome = Reply<typeof integrations.test>

/** Longer than over HTTP: its package may have to be fetched first. */
const timeoutMs = 60_000
const maxBytes = 64 * 1024

const notTried: Outcome = {
  status: 'ok',
  message: 'The command has the right form. It was not run: no crew that could run it is running',
}

/** Runs a server over standard streams in a crew that runs, beside what agents have of it. */
export async function tryProgram(app: App, server: ServerRow, crewId: string | null): Promise<Outcome> {
  const crew = runningCrew(app, server.workspace_id, crewId)
  const all = underWay.get(app) ?? new Map<string, Promise<Outcome>>()
  underWay.set(app, all)
  return crew ? singleFlight(all, `${crew.crewId} ${server.id}`, () => run(app, server, crew)) : notTried
}

const underWay = new WeakMap<App, Map<string, Promise<Outcome>>>()

interface Place {
  crewId: string
  slug: string
}

/** The crew, if it runs; for a server of all crews the one that was needed last. */
function runningCrew(app: App, workspace: string, crewId: string | null): Place | null {
  const [crew] = desiredCrews(app)
    .filter((it) => it.workspaceId === workspace && (crewId === null || it.crewId === crewId))
    .filter(({ want, seen }) => want === 'running' && seen.state === 'running')
    .sort((a, b) => ((a.usedAt ?? '') < (b.usedAt ?? '') ? 1 : -1))
  return crew ? { crewId: crew.crewId, slug: crew.spec.slug } : null
}

async function run(app: App, server: ServerRow, { crewId, slug }: Place): Promise<Outcome> {
  const { name, workspace_id } = server
  let clean = (message: string) => message
  try {
    const { program, credentials } = programOf(app, { workspace_id, crew_id: crewId }, server)
    clean = app.scrub({ workspace_id, agent_id: '' }, Object.values(program.env))
    const process = await app.runtime!.startServer(crewId, { ...program, trial: true }).catch((error: Error) => {
      throw new Unusable(`The server ${name} could not be started: ${error.message}`, { cause: error })
    })
    for (const id of credentials) await noteUse(app, id, { integration_id: server.id })
    const { client, close } = await openStreams({ name, process, timeoutMs, maxBytes, clean })
    const told = client.getServerVersion()
    const info = told && { name: plainLine(clean(told.name)), version: plainLine(clean(told.version)) }
    await close()
    return { status: 'ok', message: `It was run in the crew ${slug}`, ...(info && { server_info: info }) }
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    return { status: 'error', message: `${clean(error.message)} (in the crew ${slug})` }
  }
}
