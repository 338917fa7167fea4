import { randomBytes } from 'node:crypto'
import type { App } from '#kernel/app'
import { queries } from '../queries.ts'

/** A slug that no agent of the workspace has. */
export function slugFor(app: App, workspace: string, template: string): string {
  for (;;) {
    const slug = `${template}-eph-${randomBytes(3).toString('hex')}`
    if (!queries(app.db).bySlug.get(workspace, slug)) return slug
  }
}
