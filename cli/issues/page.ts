import type { Client } from '#client'
import { renderMarkdown } from '../markdown/render.ts'
import { indented, type Row, span } from '../markdown/rows.ts'
import { human, shortSpan, when } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import { shortenProse, widthOf } from '../output/width.ts'

type Rows<O extends 'comments' | 'activity' | 'runs'> = Awaited<ReturnType<Client['issues'][O]>>

/** An issue with what belongs to it. */
export type WholeIssue = Awaited<ReturnType<Client['issues']['find']>> & {
  comments: Rows<'comments'>
  activity: Rows<'activity'>
  runs: Rows<'runs'>
}

const ago = (time: string): string => human(when(time)).text
const words = (text: string): string => text.toLowerCase().replaceAll('_', ' ')

/** All of an issue as rows of at most `width` columns; what was written is Markdown. */
export function issuePage(issue: WholeIssue, width: number): Row[] {
  const { identifier, title, description, comments, activity, runs } = issue
  return [
    [span(`${identifier}  ${cleanLine(title)}`, 'bold')],
    [span(cleanLine(factsOf(issue).join(' · ')), 'dim')],
    [],
    ...(description ? renderMarkdown(description, width) : [[span('It has no description.', 'dim')]]),
    ...part(
      'Comments',
      comments.flatMap((comment) => commentRows(comment, width)),
    ),
    ...part(
      'Runs',
      runs.map((run) => runRow(run, width)),
    ),
    ...part('Activity', activity.map(eventRow)),
  ]
}

function factsOf(issue: WholeIssue): string[] {
  const { status, priority, assignee_name, labels, project_name, milestone_name, due_date, created_by, created_at } =
    issue
  const { routine_slug } = issue
  return [
    words(status),
    priority === 'none' ? '' : priority,
    assignee_name ? `by ${assignee_name}` : 'by nobody',
    routine_slug ? `done by the routine ${routine_slug}` : '',
    labels.map(({ name }) => name).join(', '),
    [project_name, milestone_name].filter(Boolean).join(' / '),
    due_date ? `due ${due_date}` : '',
    `opened by ${created_by.name ?? created_by.type} ${ago(created_at)}`,
  ].filter(Boolean)
}

const part = (head: string, rows: readonly Row[]): Row[] => (rows.length ? [[], [span(head, 'bold')], ...rows] : [])

const commentRows = ({ author_name, author_id, body, created_at }: Rows<'comments'>[number], width: number): Row[] => [
  [span(cleanLine(author_name ?? author_id), 'cyan'), span(`  ${ago(created_at)}`, 'dim')],
  ...indented(renderMarkdown(body, Math.max(20, width - 2)), [span('  ')]),
]

/** What was said takes the room that is left: whoever wants all of it finds it by the id. */
function runRow(
  { status, duration_ms, result_summary, error_message, id, ...by }: Rows<'runs'>[number],
  width: number,
): Row {
  const who = cleanLine(by.agent_name ?? by.routine_slug ?? '-')
  const lead = `  ${words(status)}  ${who}  ${shortSpan(duration_ms / 1000)}  `
  const room = Math.max(20, width - widthOf(`${lead}  ${id}`))
  const said = shortenProse(cleanLine(error_message ?? result_summary ?? ''), room)
  return [span(lead), span(said), span(`  ${id}`, 'dim')]
}

function eventRow({ action, details, actor_name, actor_type, created_at }: Rows<'activity'>[number]): Row {
  const who = cleanLine(actor_name ?? actor_type)
  return [
    span(`  ${words(action)}  ${cleanLine(details ?? '')}`.trimEnd()),
    span(`  ${who}  ${ago(created_at)}`, 'dim'),
  ]
}
