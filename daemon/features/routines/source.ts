import type { RunSource } from '#kernel/runs'
import { ownMessages } from '../runs/messages/service.ts'
import { queries } from './engine/queries.ts'
import { modelOf, stateOf } from './steps/agents.ts'

/** Runs that agents do for a step of a routine: `source_id` is the step. */
export const routineSource: RunSource = {
  prompt(app, { id, source_id }) {
    const step = source_id === null ? undefined : queries(app.db).step.get(source_id)
    if (step?.agent_run_id !== id || !step.state_json) return null
    const state = stateOf(step)
    const [text, model] = [state.prompt, modelOf(state)]
    const shown = { type: 'user_message' as const, content: text, metadata: { routine_run_id: step.run_id } }
    return { text, history: () => [], shown, ...(model && { model }) }
  },
  ...ownMessages,
}
