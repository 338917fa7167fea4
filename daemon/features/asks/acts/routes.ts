import { acts } from '#contract/asks'
import { feature, settled } from '#kernel/feature'
import { type Acted, act, askOthers, dismissPurged, dismissResolved, quiet } from './service.ts'

const ends = ['inbox_item.acted', 'run.cancelled'] as const

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
  {
    on: {
      'inbox_item.updated': { writes: ends, run: dismissResolved },
      'workspace_member.updated': { writes: ends, run: askOthers },
      'workspace_member.deleted': { writes: ends, run: askOthers },
      'inbox.purged': { writes: ends, run: dismissPurged },
    },
  },
)
