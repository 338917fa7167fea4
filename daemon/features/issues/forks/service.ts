import { randomBytes } from 'node:crypto'
import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { queries } from './queries.ts'

/** A new mission in PLANNING with description, plan, lead and tasks of this one; answers its id. */
export function forkMission(app: App, of: { id: string; title: string }, user: string, now: string): string {
  const { copy, tasks, copyTask } = queries(app.db)
  const id = `mis_${randomBytes(8).toString('hex')}`
  copy.run({ id, from: of.id, title: `Fork: ${of.title}`, user, now })
  const old = tasks.all(of.id)
  const ids = new Map(old.map((task) => [task.id, newId(app.clock())]))
  for (const task of old) {
    const above = JSON.parse(task.depends_on) as string[]
    const depends_on = JSON.stringify(above.flatMap((one) => ids.get(one) ?? []))
    copyTask.run({ id: ids.get(task.id)!, mission: id, from: task.id, depends_on, now })
  }
  return id
}
