import { manifestSchema } from '#contract/manifest-schema'
import { manifests } from '#contract/manifests'
import { feature, staged } from '#kernel/feature'
import { documentsOf } from './export.ts'
import { apply, type Prepared, prepare, stateOf } from './service.ts'

export default feature(manifests, (app) => ({
  apply: staged<typeof manifests.apply, Prepared>(
    (call) => prepare(app, call),
    (call, ready) => apply(app, call, ready),
  ),
  export: ({ actor }) => ({ documents: documentsOf(stateOf(app, actor.workspace)) }),
  schema: () => manifestSchema(),
}))
