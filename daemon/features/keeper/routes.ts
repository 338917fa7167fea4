import { keeper } from '#contract/keeper'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { feature } from '#kernel/feature'
import { reset, set, show } from './config/service.ts'
import { behavior, memoryHealth, negativeLearning, reviewSkill } from './evaluations/service.ts'
import { list, probe, resetAll, resetSlot, set as setSlot, useJudge } from './evaluators/service.ts'
import { set as setGovernance, show as showGovernance } from './governance/service.ts'
import { health } from './health/service.ts'
import { listModels, test, testHosted } from './judge/trials.ts'
import { measure } from './measuring/service.ts'
import { access, ask } from './requests/access.ts'
import { requested } from './requests/asking.ts'
import { execute } from './requests/executing.ts'
import { takeBack, takeBackAfterRun } from './requests/handing.ts'
import { denyUnjudged, forgetRequests } from './requests/jobs.ts'
import { clear, history, list as listRequests, resolve, show as showRequest } from './requests/lists.ts'

const afterRun = (app: App, { about }: Happened): Promise<void> => takeBackAfterRun(app, about.agent_id!)

export default feature(
  keeper,
  (app) => ({
    requests: (call) => listRequests(app, call),
    show: (call) => showRequest(app, call),
    history: (call) => history(app, call),
    resolve: (call) => resolve(app, call),
    clear: (call) => clear(app, call),
    ask: ask(app),
    health: (call) => health(app, call),
    request: access(app),
    requested: (call) => requested(app, call),
    execute: execute(app),
    reviewSkill: reviewSkill(app),
    behavior: behavior(app),
    memoryHealth: memoryHealth(app),
    negativeLearning: negativeLearning(app),
    evaluate: (call) => measure(app, call),
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
  }),
  {
    jobs: [denyUnjudged, forgetRequests],
    after: {
      'run.completed': afterRun,
      'run.failed': afterRun,
      'run.cancelled': afterRun,
      'run.timeout': afterRun,
      'credential.lease_ended': (app, { about }) => takeBack(app, about.agent_id!),
    },
  },
)
