import type { Static } from 'typebox'
import type { JudgeTest } from '#contract/keeper'
import type { App } from '#kernel/app'
import { trial } from './question.ts'
import { askJudge, type Judge, modelsOf, NoVerdict } from './service.ts'

type Tested = Static<typeof JudgeTest>
type Stage = Tested['stages'][number]

/** Milliseconds that a trial may take: a model of one's own may have to be loaded first. */
const trialMs = 60_000

/** What each stage is called. */
export const labels = {
  reach: 'Reach the endpoint',
  model: 'Model is available',
  verdict: 'Returns a verdict',
  key: 'Key resolves',
  budget: 'Answers inside the budget',
} as const
type Name = keyof typeof labels

const skipped = (name: Name): Stage => ({
  name,
  label: labels[name],
  ok: false,
  detail: 'Not tried: a stage before it failed',
  latency_ms: 0,
  skipped: true,
})

const done = (name: Name, ok: boolean, detail: string, latency_ms = 0): Stage => ({
  name,
  label: labels[name],
  ok,
  detail,
  latency_ms,
})

/** Runs one stage: what it says is its detail, and `NoVerdict` its failure. */
async function staged<T>(app: App, name: Name, work: () => Promise<{ value: T; detail: string }>) {
  const from = app.steady()
  try {
    const { value, detail } = await work()
    return { stage: done(name, true, detail, Math.round(app.steady() - from)), value }
  } catch (error) {
    if (!(error instanceof NoVerdict)) throw error
    return { stage: done(name, false, error.message, Math.round(app.steady() - from)), value: null }
  }
}

const verdict = (app: App, judge: Judge) =>
  staged(app, 'verdict', async () => {
    const value = await askJudge(app, judge, trial, { timeoutMs: trialMs })
    return { value, detail: `${value.decision}, risk ${value.risk}` }
  })

/** Whether a model is among those listed, whose names may say which build they are. */
export const lists = (models: readonly string[], model: string): boolean =>
  models.some((name) => name === model || name === `${model}:latest`)

/** Tries a server of one's own: whether it can be reached, has the model, and the model gives a verdict. */
export async function tryServer(app: App, judge: Judge, endpoint: string): Promise<Tested> {
  const result = (stages: Stage[], models: string[], decision = ''): Tested => ({
    ok: stages.every(({ ok }) => ok),
    endpoint,
    model: judge.model,
    stages,
    models,
    decision,
  })
  const reach = await staged(app, 'reach', async () => {
    const models = await modelsOf(app, judge)
    return { value: { models }, detail: models ? `${models.length} models` : 'It answers, but lists no models' }
  })
  if (!reach.value) return result([reach.stage, skipped('model'), skipped('verdict')], [])
  const { models } = reach.value
  const there = models === null || lists(models, judge.model)
  const model = done(
    'model',
    there && judge.model !== '',
    judge.model === ''
      ? 'No model is named'
      : models === null
        ? 'The server lists no models: the verdict will tell'
        : there
          ? judge.model
          : `The server does not list ${judge.model}`,
  )
  if (!model.ok) return result([reach.stage, model, skipped('verdict')], models ?? [])
  const said = await verdict(app, judge)
  return result([reach.stage, model, said.stage], models ?? [], said.value?.decision)
}

/** Tries a vendor's model with a key: whether there is one, a verdict comes, and comes in time. */
export async function tryHosted(app: App, judge: Judge | string, named: { endpoint: string; model: string }) {
  const result = (stages: Stage[], decision = ''): Tested => ({
    ok: stages.every(({ ok }) => ok),
    ...named,
    stages,
    models: [],
    decision,
  })
  if (typeof judge === 'string') return result([done('key', false, judge), skipped('verdict'), skipped('budget')])
  const key = done('key', true, 'There is one')
  const said = await verdict(app, judge)
  if (!said.value) return result([key, said.stage, skipped('budget')])
  const took = said.stage.latency_ms
  const inTime = took <= judge.timeoutMs
  const budget = done('budget', inTime, `${took} of ${judge.timeoutMs} ms`, took)
  return result([key, said.stage, budget], said.value.decision)
}
