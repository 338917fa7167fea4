import type { RunSource } from '#kernel/runs'
import { agentById } from '../../daemon/features/agents/service.ts'
import { ownMessages } from '../../daemon/features/runs/messages/service.ts'
import { beginRun } from '../../daemon/features/runs/service.ts'
import type { TestDaemon } from './index.ts'

/** A source of runs that Muster does not have: what is asked is the name of the thing, and there is no chat. */
export const madeUp: RunSource = {
  prompt: (_, { source_id }) => ({
    text: `Look after ${source_id}`,
    history: () => [{ role: 'user', content: 'Be brief' }],
    shown: { type: 'user_message', content: `Look after ${source_id}`, metadata: {} },
  }),
  ...ownMessages,
}

let made = 0

/** Begins a run of the made-up source. */
export async function beginMadeUp(
  { app }: Pick<TestDaemon, 'app'>,
  agentId: string,
  { thing = 'the garden', by = null as string | null, id = `cmadeup${String(++made).padStart(18, '0')}` } = {},
): Promise<string> {
  app.sources.set('made-up', madeUp)
  await app.write(() =>
    beginRun(app, {
      id,
      agent: agentById(app, agentId)!,
      source: 'made-up',
      source_id: thing,
      chat_id: null,
      triggered_by: by,
      trigger_type: 'CRON',
    }),
  )
  return id
}
