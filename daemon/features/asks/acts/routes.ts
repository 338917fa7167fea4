import { acts } from '#contract/asks'
import { feature, settled } from '#kernel/feature'
import { type Acted, act, dismissResolved, quiet } from './service.ts'

export default feature(
  acts,
  (app) => ({
    act: settled({
      prepare: (call) => quiet(app, call),
      commit: (call) => act(app, call),
      settle: ({ itemId }, { receipt }: Acted) => {
        if (receipt.action !== 'answer') app.runs?.cancel(receipt.source_run_id)
        return { id: itemId, state: 'resolved', action: receipt.action, receipt }
      },
    }),
  }),
  { on: { 'inbox_item.updated': { writes: ['inbox_item.acted', 'run.cancelled'], run: dismissResolved } } },
)
