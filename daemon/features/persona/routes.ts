import { persona } from '#contract/persona'
import { feature } from '#kernel/feature'
import { crewHistory, history, reset, resetCrew, set, setCrew, show, showCrew } from './service.ts'
import { decide, propose, suggest } from './suggestions.ts'

export default feature(persona, (app) => ({
  show: (call) => show(app, call),
  set: (call) => set(app, call),
  reset: (call) => reset(app, call),
  history: (call) => history(app, call),
  suggest: (call) => suggest(app, call),
  decide: (call) => decide(app, call),
  showCrew: (call) => showCrew(app, call),
  setCrew: (call) => setCrew(app, call),
  resetCrew: (call) => resetCrew(app, call),
  crewHistory: (call) => crewHistory(app, call),
  propose: (call) => propose(app, call),
}))
