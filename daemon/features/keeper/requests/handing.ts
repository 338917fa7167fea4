import type { App } from '#kernel/app'
import { Problem } from '#kernel/problem'
import { deliveryOf, secretFiles } from '../../credentials/delivery/service.ts'
import { askable, heldBack, noteAskedFor, reachesScoped, valueAskedFor } from '../../credentials/leases/service.ts'
import { workingOfAgent } from '../../runs/service.ts'
import { queries, type Row } from './queries.ts'

const seconds = 10

/** Whole or not at all; who reads the folder sees the old file or the new one. */
const place = 'umask 077; cat > "$1/.part-$$" && chmod 400 "$1/.part-$$" && mv -f -- "$1/.part-$$" "$1/$2"'
const takeAway = `folder=$1; shift; cd -- "$folder" || exit 0
rm -f -- "$@" .part-*
umask 377; cat > .part-env
if [ -s .part-env ]; then mv -f .part-env .env; else rm -f .part-env .env; fi`

/**
 * Puts the value that was allowed where the agent finds its secrets, and answers where that is; null while its crew
 * does not run, or when the credential is gone.
 */
export async function hand(app: App, { id, agent_id, credential_id }: Row): Promise<string | null> {
  const credential = askable(app, agent_id!, { id: credential_id! })
  const value = credential && valueAskedFor(app, agent_id!, credential.id)
  const folders = app.runs.foldersOf(agent_id!)
  if (!credential || value === null || value === undefined || !folders) return null
  const argv = ['sh', '-c', place, 'sh', folders.secrets, credential.variable]
  const end = await attempt(() => app.runs.command(agent_id!, { argv, stdin: Buffer.from(value), seconds }))
  if (end?.code !== 0) return null
  await app.write(() => noteAskedFor(app, credential.id, { agent_id: agent_id!, request_id: id }))
  return `${folders.secrets}/${credential.variable}`
}

/** The same, for an agent that may not wait for it; not once its run is over, for which it asked. */
export const handSoon = (app: App, row: Row): void =>
  app.afterCommit(() => {
    if (workingOfAgent(app, row.agent_id!).length)
      void hand(app, row).catch((error) =>
        app.log.error({ err: error, request: row.id }, 'A credential that people allowed could not be handed out'),
      )
  })

/** Takes from an agent what it may have only while a lease goes on, unless it is at work in another run. */
export async function takeBack(app: App, agentId: string): Promise<void> {
  const had = queries(app.db).everAllowed.get(agentId) !== undefined || reachesScoped(app, agentId)
  const names = had ? heldBack(app, agentId) : []
  const folders = names.length ? app.runs.foldersOf(agentId) : null
  if (!folders) return
  const stdin = Buffer.from(secretFiles(deliveryOf(app, agentId).secrets, '').at(-1)?.content ?? '')
  const end = await attempt(() =>
    app.runs.command(agentId, { argv: ['sh', '-c', takeAway, 'sh', folders.secrets, ...names], stdin, seconds }),
  )
  if (end && end.code !== 0) app.log.error({ agent: agentId, code: end.code }, 'Credentials could not be taken back')
}

/** After a run: what was handed out without a lease is for that run. */
export const takeBackAfterRun = async (app: App, agentId: string): Promise<void> =>
  workingOfAgent(app, agentId).length ? undefined : takeBack(app, agentId)

/** Null where the crew does not run, and so holds no secrets. */
async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}
