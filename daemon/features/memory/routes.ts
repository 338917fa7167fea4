import { memory } from '#contract/memory'
import { feature, staged } from '#kernel/feature'
import { commitSearch, prepareSearch } from './search/service.ts'
import { removeFilesOf } from './service.ts'
import { append, diff, list, remove, restore, show, version, versions, write } from './texts.ts'

export default feature(
  memory,
  (app) => ({
    list: (call) => list(app, call),
    show: (call) => show(app, call),
    write: (call) => write(app, call),
    append: (call) => append(app, call),
    remove: (call) => remove(app, call),
    versions: (call) => versions(app, call),
    version: (call) => version(app, call),
    restore: (call) => restore(app, call),
    diff: (call) => diff(app, call),
    search: staged(
      (call) => prepareSearch(app, call),
      (call, found) => commitSearch(app, call, found),
    ),
  }),
  {
    on: {
      'agent.deleted': (app, { payload }) => removeFilesOf(app, payload.entity_id),
      'crew.deleted': (app, { payload }) => removeFilesOf(app, payload.entity_id),
    },
  },
)
