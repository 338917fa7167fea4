import type { App } from '#kernel/app'
import { problem } from '#kernel/problem'
import { sourceOf } from '../messages/service.ts'
import { queries, type Run } from '../queries.ts'

/** A run and those from which it hangs, the nearest first. */
export function ancestorsOf(app: App, run: Run): Run[] {
  const found: Run[] = []
  for (let one: Run | undefined = run; one; ) {
    found.push(one)
    const above: string | null | undefined = sourceOf(app, one).parent?.(app, one)
    one = above ? queries(app.db).find.get(above) : undefined
  }
  return found
}

/** What began the work of which a run is a part: `WEBHOOK` also for what a webhook's run delegated. */
export const originOf = (app: App, run: Run): string => ancestorsOf(app, run).at(-1)!.trigger_type

/** Whether it hangs from a run whose words are not for the whole workspace: journal and events then cite nothing. */
export const isPrivate = (app: App, run: Run): boolean =>
  ancestorsOf(app, run).some((one) => sourceOf(app, one).mayRead !== undefined)

/** What stands for words that only the members of a room may read. */
export const withheld = 'For the members of its room alone'

/** Words of a run as the whole workspace may read them, in the journal and in events. */
export const openly = (app: App, run: Run | undefined, words: string): string =>
  run && isPrivate(app, run) ? withheld : words

/** Refuses what would carry words of a private run elsewhere; `instead` says what its agent may do. */
export function checkOpen(app: App, run: Run | undefined, instead: string): void {
  if (!run || !isPrivate(app, run)) return
  throw problem('private_room', { detail: `What is said in a private room stays there: ${instead}` })
}

/** Whether a member of the workspace may read what is said in a run. */
export const mayRead = (app: App, run: Run, user: string): boolean =>
  ancestorsOf(app, run).every((one) => sourceOf(app, one).mayRead?.(app, one, user) ?? true)
