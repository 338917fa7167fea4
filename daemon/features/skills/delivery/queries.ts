import { statements } from '#kernel/store/db'

export interface Given {
  id: string
  slug: string
  content: string
  display_name: string
  description: string | null
}

export const queries = statements((db) => ({
  given: db.prepare<[agent: string], Given>(
    `SELECT s.id, s.slug, s.content, s.display_name, s.description
     FROM agent_skills g JOIN skills s ON s.id = g.skill_id WHERE g.agent_id = ? ORDER BY s.slug`,
  ),
}))
