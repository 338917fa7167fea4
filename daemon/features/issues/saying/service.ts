import type { Reply } from '#contract/define'
import type { issues } from '#contract/issues'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { addComment } from '../comments/service.ts'
import { wakeMentioned } from '../mentions/service.ts'
import type { Row } from '../queries.ts'
import { findIssue } from '../service.ts'

export const comment = (app: App, { actor, crewId, identifier, body }: Call<typeof issues.comment>) =>
  say(app, actor, findIssue(app, actor.workspace, identifier, crewId), body.body)

/** Adds a comment of a person, and wakes the agents that it mentions. */
export function say(app: App, actor: Actor, issue: Row, text: string): Reply<typeof issues.comment> {
  const made = addComment(app, issue, { by: actorOf(actor), author: { type: 'user', id: actor.id }, text })
  wakeMentioned(app, actor, findIssue(app, issue.workspace_id, issue.id), made)
  return made
}
