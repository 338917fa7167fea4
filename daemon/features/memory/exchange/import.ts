import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Reply } from '#contract/define'
import { unchangedHeader } from '#contract/dry-run'
import type { memory } from '#contract/memory'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { dryRunAsked } from '#kernel/http/dry-run'
import { Problem } from '#kernel/problem'
import { refusedText } from '../guard.ts'
import { capOf, named } from '../names.ts'
import { type Owner, ofAgent, ofCrew, placeAt } from '../places.ts'
import { type Place, store } from '../service.ts'
import { agentOf, crewOf } from './service.ts'

type Importing = Call<typeof memory.import>

interface Judged {
  path: string
  content: string
  place: Place | null
  reason: string | null
}

function ownersOf(app: App, { actor, body }: Importing) {
  const crew = crewOf(app, actor.workspace, body.crew_id)
  return { crew: ofCrew(crew), agent: ofAgent(agentOf(app, actor.workspace, body.agent_slug, crew.id)) }
}

/** Characters that are looked through before other work goes on. */
const judgedAtOnce = 100_000

/** Looks through all that is imported before anything is written. */
export async function judgeImport(app: App, call: Importing): Promise<Judged[]> {
  const owners = ownersOf(app, call)
  const judged: Judged[] = []
  let read = 0
  for (const { path, content } of call.body.documents) {
    read += content.length + path.length
    if (read > judgedAtOnce) {
      read = 0
      await turn()
    }
    judged.push({ path, content, ...judge(owners, path, content) })
  }
  return judged
}

function judge({ crew, agent }: { crew: Owner; agent: Owner }, path: string, content: string) {
  const refuse = (reason: string) => ({ place: null, reason })
  const [owner, name] = path.startsWith('crew/')
    ? [crew, path.slice('crew/'.length)]
    : [agent, path.startsWith(`agents/${agent.called}/`) ? path.slice(`agents/${agent.called}/`.length) : path]
  const known = named(owner.tier, name)
  if (!known) return refuse('No memory file is called so')
  if (known.readOnly) return refuse('A persona is written as such')
  const cap = capOf(owner.tier, name)
  const bytes = Buffer.byteLength(content)
  if (bytes > cap) return refuse(`It has at most ${cap} bytes; this one has ${bytes}`)
  const refused = refusedText(content)
  if (refused) return refuse(`Line ${refused.line} is or holds ${refused.what}`)
  return { place: placeAt(owner, name), reason: null }
}

/** Milliseconds for which one part of an import holds other writes back, and for which it then lets them go first. */
const partMs = 10

/** How far an import is. */
export interface Imported {
  next: number
  wrote: boolean
  told: Reply<typeof memory.import>
}

/**
 * Writes what may be written, in parts of some milliseconds with a transaction each; what may not is told, and keeps
 * nothing else back. A file is written whole or not at all. An import that was cut short is finished by importing the
 * same again, which leaves alone what stands there already. A dry run is one part, for all of it is taken back.
 */
export function beginImport(app: App, call: Importing, judged: readonly Judged[]): Imported {
  const importing: Imported = { next: 0, wrote: false, told: { written: 0, rejected: 0, failed: 0, documents: [] } }
  writePart(app, call, judged, importing, isDry(app, call) ? Number.POSITIVE_INFINITY : partMs)
  return importing
}

const isDry = (app: App, { web }: Importing): boolean =>
  web !== undefined && dryRunAsked(app.operations.get('memory.import')!.endpoint, web.request.query)

export async function finishImport(
  app: App,
  call: Importing,
  importing: Imported,
  judged: readonly Judged[],
): Promise<Reply<typeof memory.import>> {
  while (importing.next < judged.length) {
    await pause(partMs)
    await app.write(() => {
      // The agent may have been deleted since the last part.
      ownersOf(app, call)
      writePart(app, call, judged, importing, partMs)
    })
  }
  // It speaks of the first part alone.
  if (importing.wrote) call.web?.reply.removeHeader(unchangedHeader)
  return importing.told
}

function writePart(app: App, call: Importing, judged: readonly Judged[], importing: Imported, most: number): void {
  const { told } = importing
  const end = performance.now() + most
  do {
    const document = judged[importing.next]
    if (!document) return
    importing.next++
    const outcome = document.place ? storing(app, call, document.place, document.content) : document.reason
    if (typeof outcome !== 'string') {
      told.written++
      importing.wrote ||= outcome?.changed === true
      continue
    }
    const status = document.place ? 'failed' : 'rejected'
    told[status]++
    if (told.documents.length < 200) told.documents.push({ path: document.path.slice(0, 250), status, reason: outcome })
  } while (performance.now() < end)
}

function storing(app: App, { actor, now }: Importing, place: Place, content: string) {
  try {
    const stored = store(app, place, content, { actor: actorOf(actor), action: 'import', now, judged: true })
    return stored instanceof Problem ? stored.message : stored
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
