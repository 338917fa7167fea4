import { memory } from '#contract/memory'
import { feature, settled, staged } from '#kernel/feature'
import { forgetVersionsRegularly } from './admin/jobs.ts'
import { content, history, setConfig, showConfig, stats } from './admin/service.ts'
import { context } from './context/service.ts'
import { beginImport, finishImport, judgeImport } from './exchange/import.ts'
import { exported } from './exchange/service.ts'
import { health } from './health/service.ts'
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
    export: (call) => exported(app, call),
    import: settled({
      prepare: (call) => judgeImport(app, call),
      commit: (call, judged) => beginImport(app, call, judged),
      settle: (call, importing, judged) => finishImport(app, call, importing, judged),
      tried: ({ told }) => told,
    }),
    health: (call) => health(app, call),
    context: (call) => context(app, call),
    stats: (call) => stats(app, call),
    history: (call) => history(app, call),
    content: (call) => content(app, call),
    config: ({ actor }) => showConfig(app, actor.workspace),
    setConfig: (call) => setConfig(app, call),
  }),
  {
    jobs: [forgetVersionsRegularly],
    on: {
      'agent.deleted': (app, { payload }) => removeFilesOf(app, payload.entity_id),
      'crew.deleted': (app, { payload }) => removeFilesOf(app, payload.entity_id),
    },
  },
)
