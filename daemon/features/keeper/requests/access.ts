import type { keeper } from '#contract/keeper'
import type { App } from '#kernel/app'
import { type Call, wished } from '#kernel/feature'
import { askable } from '../../credentials/leases/service.ts'
import { type Answer, type Asking, actingFor, answerOf, askerOf, open, wantedOf } from './asking.ts'
import { hand } from './handing.ts'
import { judged } from './outcomes.ts'
import type { Row } from './queries.ts'

type Asked = Call<typeof keeper.request> | Call<typeof keeper.ask>

/** An agent asks for a credential: stored first, then judged. */
export const access = (app: App) =>
  wished(
    (call: Call<typeof keeper.request>) => begin(app, call, call.body),
    (_, asking) => carryOn(app, asking),
  )

/** A person asks in place of an agent. */
export const ask = (app: App) =>
  wished(
    (call: Call<typeof keeper.ask>) => begin(app, call, { ...call.body, workspace_id: call.actor.workspace }),
    (_, asking) => carryOn(app, asking),
  )

function begin(app: App, { actor, now }: Asked, asked: Call<typeof keeper.request>['body']): Asking {
  const agent = askerOf(app, actor, asked)
  const wanted = wantedOf(app, agent, asked)
  return open(app, {
    type: 'access',
    agent,
    wanted,
    asked,
    command: null,
    env_var: null,
    by: actingFor(actor, agent),
    now,
  })
}

const carryOn = async (app: App, { row, wanted, known }: Asking): Promise<Answer> =>
  withFile(app, known ? row : await judged(app, row, wanted))

/** The answer, and where the value lies that is allowed. */
export async function withFile(app: App, row: Row): Promise<Answer> {
  const file = row.decision === 'ALLOW' ? await hand(app, row) : null
  const until = file && askable(app, row.agent_id!, { id: row.credential_id! })?.until
  return { ...answerOf(row), ...(file && { file }), ...(until && { expires_at: until }) }
}
