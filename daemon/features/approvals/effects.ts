import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import { settleReview } from '../agents/service.ts'
import type { Row } from './queries.ts'

/** What follows from a decision, within its change. False when what it is about cannot be decided any more. */
type Effect = (app: App, row: Row, decision: { approved: boolean; actor: Actor | null }) => boolean

/** What an autonomy gate holds back: an agent that waits for review. */
const autonomyGate: Effect = (app, { workspace_id, agent_id }, { approved, actor }) =>
  agent_id === null || settleReview(app, { workspace: workspace_id, agentId: agent_id, approved, actor })

/** Kinds without an effect here are read by who asked. */
export const effects: Partial<Record<Row['kind'], Effect>> = { autonomy_gate: autonomyGate }
