import { runReceipts } from '#contract/run-receipts'
import { feature } from '#kernel/feature'
import { receipt, receiptKeys } from './service.ts'

export default feature(runReceipts, (app) => ({
  receipt: (call) => receipt(app, call),
  receiptKeys: () => receiptKeys(app),
}))
