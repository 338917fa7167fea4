import { keeper } from '#contract/keeper'
import { feature } from '#kernel/feature'
import { reset, set, show } from './config/service.ts'
import { list, probe, resetAll, resetSlot, set as setSlot, useJudge } from './evaluators/service.ts'
import { set as setGovernance, show as showGovernance } from './governance/service.ts'
import { listModels, test, testHosted } from './judge/trials.ts'

export default feature(keeper, (app) => ({
  config: (call) => show(app, call),
  setConfig: (call) => set(app, call),
  resetConfig: (call) => reset(app, call),
  models: (call) => listModels(app, call),
  test: (call) => test(app, call),
  testHosted: (call) => testHosted(app, call),
  aux: (call) => list(app, call),
  setAux: (call) => setSlot(app, call),
  resetAux: (call) => resetAll(app, call),
  resetSlot: (call) => resetSlot(app, call),
  useJudge: (call) => useJudge(app, call),
  probe: (call) => probe(app, call),
  governance: (call) => showGovernance(app, call),
  setGovernance: (call) => setGovernance(app, call),
}))
