import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Routines that come with Muster, as files below `templates/routines`. */
export const templateNames = ['example', 'nightly-update', 'issue-triage', 'cost-report'] as const

/** The text of a template, under another name. `root` is the folder of the built command line. */
export const namedTemplate = (root: string, template: string, name: string): string =>
  readFileSync(join(root, 'templates', 'routines', `${template}.yaml`), 'utf8').replace(/^name: .*$/m, `name: ${name}`)
