import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import { installationOf, storeKeyCheck } from './facts.ts'
import { keyCheck } from './key.ts'
import type { State } from './open.ts'

/** Records the losses that were accepted and the entries that were never sealed, then seals the journal as it is. */
export async function settleState(app: App, state: State): Promise<void> {
  const { db, vault, losses, adopted } = state
  tell(app, state)
  try {
    await app.seals.seal()
    // Only now: without the check the journal counts as never sealed.
    if (adopted || losses.length) app.writeNow(() => storeKeyCheck(db, keyCheck(vault, db)))
  } catch (error) {
    app.log.error({ err: error }, 'The journal could not be sealed; the daemon tries again')
  }
}

function tell(app: App, { losses, adopted, seals: { newest } }: State): void {
  const entries = app.index.head()
  const home = homeOf(app)
  // A crash leaves its last seconds unsealed. Whoever can write to the database could have added more.
  const late = adopted || losses.length ? 0 : entries - newest.seq
  const unsealed = adopted && entries > 0 && losses.length === 0
  if (unsealed) {
    app.log.warn(
      { entries },
      'The journal was never sealed and is sealed from now on, as it is. After an update that is right; ' +
        'if it was sealed before, somebody removed the seals from the database and the folder',
    )
  }
  if (late)
    app.log.warn(
      { entries: late, sealed: newest.seq },
      'Entries of the journal were not sealed before: after a crash that is right for its last seconds',
    )
  if (!home) return
  const about = { workspace_id: home, actor_type: 'system' } as const
  app.writeNow(() => {
    if (losses.length) {
      const accepted = { entity_id: installationOf(app.db), losses: losses.map(({ code }) => code) }
      app.journal(fact('installation.loss_accepted', accepted, about))
    }
    if (unsealed) app.journal(fact('system.migration', { entries }, about))
    if (late) app.journal(fact('system.migration', { entries: late, sealed: newest.seq }, about))
  })
}
