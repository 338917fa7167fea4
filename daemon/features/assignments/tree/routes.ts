import { runTree } from '#contract/run-tree'
import { feature } from '#kernel/feature'
import { tree } from './service.ts'

export default feature(runTree, (app) => ({ tree: (call) => tree(app, call) }))
