import type { App } from '#kernel/app'
import { filesOf } from '../find.ts'
import { bodyOf } from '../format.ts'
import { type Given, queries } from './queries.ts'

/** A skill as agents are given it. */
interface Delivered {
  slug: string
  files: { path: string; content: string | Buffer; executable: boolean }[]
}

/** What an agent was taught, ready to be put into folders that are called by the slugs. */
export const skillsOf = (app: App, agentId: string): Delivered[] =>
  queries(app.db)
    .given.all(agentId)
    .map((skill) => ({
      slug: skill.slug,
      files: [
        { path: 'SKILL.md', content: delivered(skill), executable: false },
        ...filesOf(app, skill.id).map((file) => ({
          path: file.path,
          content: file.content,
          executable: file.executable === 1,
        })),
      ],
    }))

/** Commands that some clients would run while they load a skill, and what marks such a block. */
const loading = [/!`[^`\n]*`/g, /^(\s*(?:```+|~~~+))\s*!.*$/gm] as const

/**
 * SKILL.md for clients: name and description alone in front, since other members of it are orders to clients, such as
 * hooks, which are programs, or tools to allow.
 */
export function delivered({ slug, content, description, display_name }: Omit<Given, 'id'>): string {
  const body = bodyOf(content).replace(loading[0], '').replace(loading[1], '$1')
  const said = JSON.stringify(description ?? display_name)
  return `---\nname: ${slug}\ndescription: ${said}\n---\n\n${body.trimStart()}`
}
