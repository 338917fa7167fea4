import type { Static } from 'typebox'
import { type Acting, fact } from '#contract/entries'
import type { IssueComment, issues } from '#contract/issues'
import type { Worker } from '#contract/projects'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { isVisible, pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import type { Row as Issue } from '../queries.ts'
import { findIssue } from '../service.ts'
import { about, note, subject, tell } from '../telling.ts'
import { queries } from './queries.ts'

type Shown = Static<typeof IssueComment>

export function comments(app: App, { actor, crewId, identifier, query }: Call<typeof issues.comments>): Shown[] {
  const { id } = findIssue(app, actor.workspace, identifier, crewId)
  const { limit, offset } = pageOf(query, { fallback: 100, max: 500 })
  return queries(app.db).list.all(id, limit, offset)
}

interface NewComment {
  by: Acting
  author: { type: Worker; id: string }
  text: string
}

/** Adds a comment to an issue. */
export function addComment(app: App, issue: Issue, { by, author, text }: NewComment): Shown {
  if (!isVisible(text)) throw problem('invalid_field', { field: 'body', detail: 'A comment must have some text' })
  const id = newId(app.clock())
  const now = app.now()
  const { insert, find } = queries(app.db)
  insert.run({
    id,
    mission_id: issue.id,
    author_type: author.type,
    author_id: author.id,
    body: text,
    created_at: now,
    updated_at: now,
  })
  note(app, issue, by, 'commented')
  app.journal(fact('mission.comment', { ...subject(issue), comment_id: id, body: text }, about(issue, by)))
  tell(app, issue, 'issue.updated')
  return find.get(id)!
}
