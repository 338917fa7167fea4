import { mcp } from '#contract/mcp'
import { feature } from '#kernel/feature'
import { answer } from './service.ts'

export default feature(mcp, (app) => ({ call: (call) => answer(app, call) }))
