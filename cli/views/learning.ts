import type { agentLearning } from '#contract/agent-learning'
import type { Reply } from '#contract/define'
import { when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const learningView: View<Reply<typeof agentLearning.learning>> = {
  name: ({ enabled }) => (enabled ? 'on' : 'off'),
  columns: {
    Learning: ({ enabled }) => (enabled ? 'on' : 'off'),
    Set: ({ set_at }) => when(set_at),
    'Set by': ({ set_by_user_id }) => set_by_user_id,
    Reason: ({ reason }) => reason,
  },
}
