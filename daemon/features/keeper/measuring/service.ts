import type { Reply } from '#contract/define'
import type { keeper } from '#contract/keeper'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { tierOf } from '../../credentials/levels/service.ts'
import { type Judging, stampOf } from '../config/rules.ts'
import { guard, judging, judgingWith } from '../config/service.ts'
import { decide } from '../requests/deciding.ts'
import type { Case } from '../requests/prompt.ts'
import type { Row } from '../requests/queries.ts'

type Asked = Call<typeof keeper.evaluate>['body']['cases'][number]
type Measured = Reply<typeof keeper.evaluate>

const charactersPerToken = 3.5

/**
 * Decides made-up requests in the order and manner of real ones. Every one may cost money, so only operators ask; they
 * ask one after the other.
 */
export async function measure(app: App, { actor, body }: Call<typeof keeper.evaluate>): Promise<Measured> {
  guard(app, actor)
  const how = body.profile ? judgingWith(app, { judge_profile: body.profile }) : judging(app)
  const outcomes: Measured['outcomes'] = []
  for (const it of body.cases) outcomes.push(await one(app, actor.workspace, it, how))
  return { stamp: stampOf(how), outcomes }
}

async function one(app: App, workspace: string, it: Asked, { manner }: Judging): Promise<Measured['outcomes'][number]> {
  const wanted = {
    name: it.credential_name,
    description: it.credential_description ?? null,
    level: it.level,
    bound: true,
  }
  const row = { workspace_id: workspace, agent_id: '', intent: it.intent, command: it.command ?? null } as Row
  const { decision, reason, risk, rule, prompt, raw, latency } = await decide(app, row, wanted, {
    manner,
    told: toldOf(it, wanted),
  })
  const samples = manner.consistency_samples.value
  return {
    decision: decision === 'WARN' ? 'ESCALATE' : decision,
    reason,
    risk,
    rule,
    latency_ms: latency ?? 0,
    prompt_tokens: samples * Math.ceil((prompt?.length ?? 0) / charactersPerToken),
    answer_tokens: Math.ceil((raw?.length ?? 0) / charactersPerToken),
  }
}

const toldOf = (it: Asked, credential: Case['credential']): Case => ({
  watch: '',
  level: it.level,
  tier: tierOf(it.level),
  evidence: [
    '- A person assigned the credential to this agent.',
    it.work?.length
      ? `- Open work of the agent: ${it.work.map((what) => JSON.stringify(what)).join(', ')}.`
      : '- The agent has no open work.',
  ],
  precedents: [],
  conversation: it.conversation ?? [],
  agent: it.agent,
  crew: it.crew,
  credential,
  intent: it.intent,
  command: it.command ?? null,
})
