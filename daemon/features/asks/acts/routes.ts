import { acts } from '#contract/asks'
import { feature, settled } from '#kernel/feature'
import { type Acted, act, dismissResolved, quiet } from './service.ts'

export default feature(
  acts,
  (app) => ({
    act: settled({
      prepare: (call) => quiet(app, call),
      commit: (call) => act(app, call),
      settle: ({ itemId }, { receipt }: Acted) => ({
        id: itemId,
        state: 'resolved',
        action: receipt.action,
        receipt,
      }),
    }),
  }),
  { on: { 'inbox_item.updated': { writes: ['inbox_item.acted', 'run.cancelled'], run: dismissResolved } } },
)
