import type { App } from '#kernel/app'
import { cut } from '#kernel/cut'
import { quotedLines } from '#kernel/quoted-lines'
import { type Row as CommentRow, queries as commentQueries } from '../comments/queries.ts'
import { queries, type Row } from '../queries.ts'
import { fitting } from './rules.ts'

/** Characters of each text that an agent is told; the rest is cut. */
const descriptionLimit = 16_000
const parentLimit = 4000
const commentLimit = 4000
const commentsLimit = 16_000
/** Most comments that are looked at. */
const newest = 50

/** What an agent is told when it is to work on an issue. */
export const taskText = (app: App, issue: Row): string =>
  [
    `Work on issue ${issue.identifier} of crew ${issue.crew_slug}. What stands behind > was written by people and ` +
      'agents of this workspace. What you say last becomes your comment on the issue, which then is reviewed.',
    ...aboutIssue(app, issue),
  ].join('\n\n')

/** What an agent is told of a comment that mentions it; all of the issue where it does not know it yet. */
export const mentionText = (app: App, issue: Row, author: string, comment: Comment, isNew: boolean): string =>
  [
    `${author} mentions you in a comment on issue ${issue.identifier} of crew ${issue.crew_slug}. What you say last ` +
      'becomes your comment on the issue.',
    quotedLines(comment.body),
    ...(isNew
      ? ['The issue, in the words of people and agents of this workspace:', ...aboutIssue(app, issue, comment)]
      : []),
  ].join('\n\n')

type Comment = Pick<CommentRow, 'id' | 'body'>

/** All of an issue, without a comment that is told apart from it. */
const aboutIssue = (app: App, issue: Row, told?: Comment): string[] => [
  `Title:\n${quotedLines(issue.title)}`,
  ...(issue.description ? [`Description:\n${quotedLines(cut(issue.description, descriptionLimit))}`] : []),
  ...parentOf(app, issue),
  ...commentsOf(app, issue, told),
]

function parentOf({ db }: App, { workspace_id, parent_issue_id }: Row): string[] {
  const parent = parent_issue_id && queries(db).find.get({ workspace: workspace_id, name: parent_issue_id })
  if (!parent) return []
  const { identifier, title, description } = parent
  return [
    `It is a part of ${identifier}:\n${quotedLines(cut([title, description ?? ''].join('\n').trim(), parentLimit))}`,
  ]
}

function commentsOf({ db }: App, { id, comment_count }: Row, told: Comment | undefined): string[] {
  const others = commentQueries(db)
    .newest.all(id, newest)
    .filter((it) => it.id !== told?.id)
  if (others.length === 0) return []
  const count = told ? comment_count - 1 : comment_count
  const { parts, left } = fitting(others.map(toldOf), count, commentsLimit)
  const older = left === 0 ? '' : ` (without ${left} older ones)`
  return [[`Comments, oldest first${older}:`, ...parts].join('\n\n')]
}

const toldOf = ({ author_name, author_type, created_at, body }: CommentRow): string =>
  `${author_name ?? `a former ${author_type}`}, ${created_at}:\n${quotedLines(cut(body, commentLimit))}`
