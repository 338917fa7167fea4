import type { Buffer } from 'node:buffer'
import type { RunFile } from '../types.ts'

/** A skill as a client loads it: its folder is called by the slug. */
export interface GivenSkill {
  slug: string
  /** With SKILL.md among them. */
  files: readonly { path: string; content: string | Buffer; executable: boolean }[]
}

/** The files of skills below a folder of the run. Nobody may write them, and each run has them anew. */
export const skillFiles = (root: string, skills: readonly GivenSkill[] = []): RunFile[] =>
  skills.flatMap(({ slug, files }) =>
    files.map(({ path, content, executable }) => ({
      path: `${root}/${slug}/${path}`,
      content,
      mode: executable ? 0o555 : 0o444,
    })),
  )

/**
 * The files of skills, and a link to them where a client looks, in a folder that outlives the run: so none stays there
 * that was taken from the agent.
 */
export const linkedSkills = (run: string, at: string, skills: readonly GivenSkill[] = []): RunFile[] =>
  skills.length === 0 ? [] : [...skillFiles(`${run}/skills`, skills), { path: at, content: '', link: `${run}/skills` }]
