import { type agentSkills, mostAuthoredSkills } from '#contract/agent-skills'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { AutonomyLevel } from '#contract/policies'
import type { App } from '#kernel/app'
import { type Actor, type Call, staged } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { quotedLines } from '#kernel/quoted-lines'
import { type AgentRow, callerOf } from '../../agents/service.ts'
import { findCrew } from '../../crews/service.ts'
import { raise } from '../../inbox/service.ts'
import { refusedText } from '../../memory/service.ts'
import { consult, policyOf, type Verdict } from '../../policies/service.ts'
import { bodyOf } from '../format.ts'
import { writtenByModel } from '../generating/service.ts'
import { askPeople, fileOf, isTaken, pathOf, type Waiting } from '../proposals/service.ts'
import { type Read, readWhole, storeSkill } from '../storing.ts'
import { queries } from './queries.ts'

type Authored = Reply<typeof agentSkills.author>
type Asked = Call<typeof agentSkills.author>['body'] | Call<typeof agentSkills.compose>['body']

const dayMs = 24 * 60 * 60_000

/** Proposes what an agent has written itself. */
export function author(app: App, { body, now, actor }: Call<typeof agentSkills.author>): Authored {
  const agent = mayWrite(app, body)
  return put(app, { body, agent, ready: readWhole(textOf(body), []), source: 'agent', actor, now })
}

/** Proposes what a model wrote for an agent. */
export function compose(app: App) {
  return staged<typeof agentSkills.compose, Read>(
    async ({ body }) => {
      mayWrite(app, body)
      const { workspace_id: workspace, agent_id, slug, prompt, model } = body
      return writtenByModel(app, { workspace, asker: agent_id, slug, prompt, model: model ?? null })
    },
    ({ body, actor, now }, ready) => {
      const agent = mayWrite(app, body)
      return { ...put(app, { body, agent, ready, source: 'generated', actor, now }), content: ready.content }
    },
  )
}

/** The agent that calls, unless its policy, a name that is taken or what its crew wrote forbids another skill. */
function mayWrite(app: App, body: Asked): AgentRow {
  const agent = callerOf(app, body)
  const { crew_id: crew, workspace_id: workspace, slug } = body
  if (consult(app, { workspace, crew, action: 'skill_create' }) === 'refuse') throw problem('policy_refused')
  if (isTaken(app, crew, slug))
    throw problem('skill_exists', {
      detail: `There is a skill ${slug}, or there was such a proposal: name it otherwise`,
    })
  const since = new Date(app.clock() - dayMs).toISOString()
  const { lately, waiting } = queries(app.db).counts.get({ crew, since })!
  if (waiting >= mostAuthoredSkills)
    throw problem('rate_limited', { detail: `${waiting} skills of the crew wait for people already: wait for that` })
  if (lately >= mostAuthoredSkills)
    throw problem('rate_limited', { detail: `The crew has written ${lately} skills within a day: use those` })
  return agent
}

/** The SKILL.md: a front matter of ours and the agent's instructions, of which another front matter is left out. */
function textOf({ slug, description, content }: Call<typeof agentSkills.author>['body']): string {
  const body = bodyOf(content).trim()
  if (!body) throw problem('skill_invalid', { field: 'content', detail: 'The skill says nothing' })
  const head = [
    `name: ${slug}`,
    `description: ${JSON.stringify(description)}`,
    'maturity: EXPERIMENTAL',
    'tags: [agent-written]',
  ]
  return ['---', ...head, '---', '', body, ''].join('\n')
}

interface Putting {
  body: Asked
  agent: AgentRow
  ready: Read
  source: 'agent' | 'generated'
  actor: Actor
  now: string
}

/** What holds of both ways that a skill takes. */
interface Judged extends Putting {
  row: Waiting
  policy: { policy_action: 'skill_create'; policy_verdict: Exclude<Verdict, 'refuse'>; autonomy_level: AutonomyLevel }
  about: { workspace_id: string; crew_id: string; agent_id: string; actor_type: 'agent'; actor_id: string }
}

/** Puts a skill before people, or stores it where the policy lets it pass and nothing was found in it. */
function put(app: App, it: Putting): Authored {
  const { body, agent, ready, now } = it
  const { workspace_id, crew_id, slug } = body
  const secret = refusedText(ready.content)
  if (secret?.reason === 'secret')
    throw problem('skill_invalid', { field: 'content', detail: `There is ${secret.what} in it: leave it out` })
  const row: Waiting = {
    id: newId(app.clock()),
    workspace_id,
    crew_id,
    file_name: fileOf(slug),
    slug,
    // No rule that a crew learned looks so.
    pattern: `skill:${slug}`,
    content: ready.content,
    scan_status: ready.scan.status,
    scan_reason: ready.scan.reason,
    agent_id: agent.id,
    reason: blankToNull(body.reason),
    created_at: now,
  }
  const verdict = consult(app, { workspace: workspace_id, crew: crew_id, action: 'skill_create' })
  const waits = verdict === 'ask' || ready.scan.status !== 'CLEAN'
  const policy = {
    policy_action: 'skill_create',
    policy_verdict: waits || verdict === 'refuse' ? 'ask' : verdict,
    autonomy_level: policyOf(app, workspace_id, crew_id).level,
  } as const
  const about = { workspace_id, crew_id, agent_id: agent.id, actor_type: 'agent', actor_id: agent.id } as const
  const judged = { ...it, row, policy, about }
  const { description_quality } = ready.text
  return {
    id: row.id,
    slug,
    file_name: row.file_name,
    ...(waits ? proposed(app, judged) : stored(app, judged)),
    scan_status: ready.scan.status,
    ...(ready.scan.reason !== null && { scan_reason: ready.scan.reason }),
    ...(description_quality && { description_quality }),
  }
}

const whyOf = ({ reason }: Waiting): string => quotedLines(reason ?? 'No reason was given.')

function proposed(app: App, { row, agent, source, policy, about }: Judged) {
  queries(app.db).put.run(row)
  const crew = findCrew(app, row.workspace_id, row.crew_id)
  askPeople(app, crew, row, {
    sender: { type: 'agent', id: agent.id, name: agent.name },
    title: `${agent.name} proposes the skill ${row.slug}`,
    says: `${whyOf(row)}\n\nApproving makes it a skill, which no agent has until it is given to one.`,
  })
  const { file_name, slug, scan_status } = row
  const said = { file_name, skill_path: pathOf(row), slug, scan_status, source, ...policy }
  app.journal(fact('skill.proposed', said, about))
  return { status: 'PENDING_REVIEW' as const }
}

/** The row stays, without its text, so that what the crew writes is counted and the name is not used again. */
function stored(app: App, { row, body, agent, ready, source, policy, about, actor, now }: Judged) {
  const { workspace_id: workspace, slug } = body
  const by = { actor: { ...actor, workspace }, source: 'GENERATED', now } as const
  const { skill_id, created } = storeSkill(app, ready, by)
  queries(app.db).put.run({ ...row, content: null })
  app.journal(fact('skill.authored', { skill_id, slug, created, source, unsafe_license: false, ...policy }, about))
  raise(app, {
    kind: 'message',
    workspace,
    source: row.id,
    target: { role: 'MANAGER' },
    title: `${agent.name} wrote the skill ${slug}`,
    body: `${whyOf(row)}\n\nNo agent has it until it is given to one: \`muster skills show ${slug}\``,
    sender: { type: 'agent', id: agent.id, name: agent.name },
    payload: { subkind: 'autonomy', skill_id, slug, crew_id: row.crew_id, agent_id: agent.id, ...policy },
    now,
  })
  return { status: 'STORED' as const, skill_id }
}
