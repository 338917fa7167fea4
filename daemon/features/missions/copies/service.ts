import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { queries } from './queries.ts'

export interface Copy {
  /** Id and title of the new mission. */
  id: string
  title: string
  /** The mission or issue that it is made from. */
  from: string
  user: string
  now: string
}

/** A new mission in PLANNING with description, plan, LEAD and tasks of another one; its tasks have ids of their own. */
export function copyMission(app: App, it: Copy): void {
  const { copy, tasks, copyTask } = queries(app.db)
  copy.run({ ...it, title: [...it.title].slice(0, 200).join('') })
  const old = tasks.all(it.from)
  const ids = new Map(old.map((task) => [task.id, newId(app.clock())]))
  for (const task of old) {
    const above = JSON.parse(task.depends_on) as string[]
    const depends_on = JSON.stringify(above.flatMap((one) => ids.get(one) ?? []))
    const loop_back_to = (task.loop_back_to && ids.get(task.loop_back_to)) ?? null
    copyTask.run({ id: ids.get(task.id)!, mission: it.id, from: task.id, depends_on, loop_back_to, now: it.now })
  }
}
