import type { RoutineStep, StepType } from '#contract/routine-definition'
import { beginAgentRun } from './agents.ts'
import { beginCall } from './calls.ts'
import { beginCode } from './code.ts'
import { beginHttp } from './http.ts'
import { beginQuery } from './lists.ts'
import { beginNotify, beginWaitForApproval } from './people.ts'
import { beginForeach, beginTransform, beginWaitForEvent, beginWaitForTime } from './plain.ts'
import { beginPlatform } from './platform.ts'
import { beginScript } from './scripts.ts'
import type { Beginning, Outcome } from './types.ts'

type Begin = { [T in StepType]: (it: Beginning<Extract<RoutineStep, { type: T }>>) => Outcome }

const waits = { approval: beginWaitForApproval, datetime: beginWaitForTime, event: beginWaitForEvent }

const begins: Begin = {
  agent_run: beginAgentRun,
  call_pipeline: beginCall,
  code: beginCode,
  foreach: beginForeach,
  http: beginHttp,
  notify: beginNotify,
  platform: beginPlatform,
  query: beginQuery,
  script: beginScript,
  transform: beginTransform,
  wait: (it) => waits[it.step.wait.kind](it),
}

/** Begins a step within a change, by its type: what it does to the outside follows the commit. */
export const beginStep = (it: Beginning): Outcome => (begins[it.step.type] as (it: Beginning) => Outcome)(it)
