import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { mentionsIn } from '#kernel/mentions'
import { Problem } from '#kernel/problem'
import { type AgentRow, agentById, agentCalled } from '../../agents/service.ts'
import { issueChatId, openIssueChat, workspaceOfChat } from '../../chats/service.ts'
import { say } from '../../chats/steering/service.ts'
import { raise } from '../../inbox/service.ts'
import { checkMayBegin } from '../../runs/service.ts'
import { find as findUser } from '../../users/service.ts'
import { mentionText } from '../prompts/service.ts'
import type { Row } from '../queries.ts'
import { about, note, subject } from '../telling.ts'
import { chatTitle } from '../work/service.ts'

/** Most agents that one comment wakes, and most names in it that are looked at. */
const mostAgents = 5
const mostNames = 100

interface Comment {
  id: string
  body: string
}

/** Wakes the agents that a person's comment mentions, and tells the person which ones it could not reach. */
export function wakeMentioned(app: App, actor: Actor, issue: Row, comment: Comment): void {
  const { agents, unknown } = named(app, issue.workspace_id, comment.body)
  const refused = unknown.map((id) => `An agent (${id}): it is not there`)
  agents.forEach((agent, index) => {
    const refusal =
      index < mostAgents ? wake(app, actor, issue, agent, comment) : `a comment wakes ${mostAgents} agents`
    if (refusal) refused.push(`${agent.name} (@${agent.slug}): ${refusal}`)
  })
  if (refused.length) noticeUndelivered(app, actor, issue, comment, refused)
}

/** The agents of a workspace that a text names, and ids in its links that are none of them. */
function named(app: App, workspace: string, text: string): { agents: AgentRow[]; unknown: string[] } {
  const { slugs, ids } = mentionsIn(text)
  const bySlug = [...slugs].slice(0, mostNames).flatMap((slug) => agentCalled(app, workspace, slug) ?? [])
  const linked = [...ids].slice(0, mostNames).map((id) => {
    const agent = agentById(app, id)
    return agent?.workspace_id === workspace ? agent : id
  })
  const byId = linked.filter((it) => typeof it !== 'string')
  const agents = new Map([...byId, ...bySlug].map((agent) => [agent.id, agent]))
  return { agents: [...agents.values()], unknown: linked.filter((it) => typeof it === 'string') }
}

/** Why an agent cannot be woken; null when it is. */
function wake(app: App, actor: Actor, issue: Row, agent: AgentRow, comment: Comment): string | null {
  const by = actorOf(actor)
  note(app, issue, by, 'mentioned', agent.id)
  const comment_id = comment.id
  const payload = { ...subject(issue), comment_id, agent_slug: agent.slug }
  app.journal(fact('agent.mentioned', payload, { ...about(issue, by), agent_id: agent.id }))
  try {
    checkMayBegin(app, agent)
    const isNew = workspaceOfChat(app, issueChatId(agent.id, issue.id)) === undefined
    const chatId = openIssueChat(app, agent, issue.id, chatTitle(issue))
    const { full_name, email } = findUser(app, actor.id)
    const content = mentionText(app, issue, full_name ?? email, comment, isNew)
    say(app, { actor, chatId, agent, content, addressed: true, begin: true, comment_id })
    return null
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}

function noticeUndelivered(app: App, actor: Actor, issue: Row, comment: Comment, refused: string[]): void {
  const { id: mission_id, identifier, workspace_id } = issue
  raise(app, {
    workspace: workspace_id,
    kind: 'message',
    source: `mention_${comment.id}`,
    target: { user: actor.id },
    title: `Your comment on ${identifier} did not reach everybody that it mentions`,
    body: refused.map((line) => `- ${line}`).join('\n'),
    payload: { subkind: 'undelivered_mention', mission_id, issue_identifier: identifier, comment_id: comment.id },
    now: app.now(),
  })
}
