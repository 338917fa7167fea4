import type { Static } from 'typebox'
import { stringify } from 'yaml'
import type { Reply } from '#contract/define'
import type { Routine, RoutineRun, routines, SubSpan as SubSpanSchema } from '#contract/routines'
import { age, span } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type RoutineRow = Static<typeof Routine>
export type RunShown = Reply<typeof routines.result>
type Version = Reply<typeof routines.versions>[number]
type Run = Static<typeof RoutineRun>
type SubSpan = Static<typeof SubSpanSchema>

export const routineView: View<RoutineRow> = {
  name: ({ slug }) => slug,
  empty: 'There are no routines. Next: muster routines init NAME',
  columns: {
    NAME: ({ slug }) => slug,
    STATUS: ({ status }) => status,
    VERSION: ({ version }) => version,
    RUNS: ({ run_count }) => run_count,
    LAST: ({ last_invocation_status }) => last_invocation_status,
    'LAST-RUN': ({ last_run_at }) => age(last_run_at),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    TITLE: ({ name }) => name,
    RISKS: ({ risk_reasons }) => risk_reasons.join(', '),
    CREW: ({ author_crew_id }) => author_crew_id,
    ID: ({ id }) => id,
  },
}

export const routineShownView: View<Reply<typeof routines.show>> = {
  ...(routineView as View<Reply<typeof routines.show>>),
  detail: {
    ...routineView.columns,
    ...routineView.wide,
    DESCRIPTION: ({ description }) => description,
    'ACTIVE-VERSION': ({ active_version }) => active_version,
    INPUTS: ({ definition }) => inputsOf(definition),
    DEFINITION: ({ definition }) => stringify(definition),
  },
}

/** The names of the inputs; those that must be given with a star. */
const inputsOf = ({ inputs = [] }: { inputs?: unknown }): string =>
  (inputs as { name: string; required?: boolean }[])
    .map(({ name, required }) => `${name}${required ? '*' : ''}`)
    .join(', ')

export const versionView: View<Version> = {
  name: ({ version }) => String(version),
  columns: {
    VERSION: ({ version }) => version,
    STATE: ({ state, is_active }) => (is_active ? `${state}, active` : state),
    SUMMARY: ({ change_summary }) => change_summary,
    RISKS: ({ risk_reasons }) => risk_reasons.join(', '),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    AUTHOR: ({ author_id }) => author_id,
    HASH: ({ definition_hash }) => definition_hash,
  },
}

export const routineRunView: View<Run> = {
  name: ({ id }) => id,
  empty: 'No routine has run. Next: muster routines run NAME',
  columns: {
    ID: ({ id }) => id,
    ROUTINE: ({ pipeline_slug }) => pipeline_slug,
    STATUS: ({ status }) => status,
    STEP: ({ current_step_id, failed_at_step }) => current_step_id || failed_at_step || null,
    BY: ({ triggered_via }) => triggered_via,
    TOOK: ({ ended_at, duration_ms }) => (ended_at ? span(Math.round(duration_ms / 1000)) : null),
    COST: ({ cost_usd }) => (cost_usd ? `$${cost_usd.toFixed(2)}` : null),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    ERROR: ({ error_message }) => error_message || null,
    VERSION: ({ version }) => version,
    DEPTH: ({ chain_depth }) => chain_depth,
  },
}

export const routineHistoryView: View<Reply<typeof routines.history>[number]> = {
  name: ({ id }) => id,
  empty: 'No routine has run. Next: muster routines run NAME',
  columns: {
    ID: ({ id }) => id,
    RUN: ({ run_id }) => run_id,
    SEVERITY: ({ severity }) => severity,
    WHAT: ({ summary }) => summary,
    AGE: ({ ts }) => age(ts),
  },
}

export const runShownView: View<RunShown> = {
  ...(routineRunView as View<RunShown>),
  detail: {
    ...routineRunView.columns,
    ...routineRunView.wide,
    INPUTS: ({ inputs }) => JSON.stringify(inputs),
    OUTPUT: ({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)),
    STEPS: ({ steps }) =>
      steps
        .map(({ key, type, status, error_message }) =>
          [key, type, status, ...(error_message ? [error_message] : [])].join('  '),
        )
        .join('\n'),
  },
  below: ({ sub_spans }) => Object.values(sub_spans).flat().flatMap(ioLines).join('\n'),
}

/** What a tool took and gave, where that was asked for. */
function ioLines({ name, status, input, output, input_truncated, output_truncated }: SubSpan): string[] {
  if (input === undefined && output === undefined) return []
  const part = (mark: string, text: string | undefined, cut: boolean | undefined) =>
    text === undefined ? [] : [`${mark} ${text}${cut ? ' […]' : ''}`]
  return [`\n${name}  ${status}`, ...part('<', input, input_truncated), ...part('>', output, output_truncated)]
}

export const pendingView: View<Reply<typeof routines.pending>[number]> = {
  name: ({ id }) => id,
  empty: 'No run waits for its time.',
  columns: {
    ID: ({ id }) => id,
    ROUTINE: ({ pipeline_slug }) => pipeline_slug,
    BEGINS: ({ fire_at }) => fire_at,
    REQUESTS: ({ match_count }) => match_count,
    BY: ({ triggered_via }) => triggered_via,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    PRIORITY: ({ priority }) => priority,
    KEY: ({ debounce_key }) => debounce_key,
    EXPIRES: ({ expires_at }) => expires_at,
  },
}

export const logView: View<Reply<typeof routines.logs>[number]> = {
  name: ({ ts }) => ts,
  empty: 'Nothing has happened yet.',
  columns: {
    TIME: ({ ts }) => ts,
    LEVEL: ({ level }) => level,
    MESSAGE: ({ message }) => message,
  },
}

type Dry = Reply<typeof routines.dryRun>['steps'][number]

export const dryView: View<Dry> = {
  name: ({ id }) => id,
  empty: 'It has no steps.',
  columns: {
    NAME: ({ id }) => id,
    TYPE: ({ type }) => type,
    AFTER: ({ needs, phase }) => (phase === 'main' ? needs.join(', ') : phase),
    IF: ({ condition }) => (condition === undefined ? null : condition === null ? 'depends' : condition),
    WOULD: ({ would }) => would,
  },
}

export const triedView: View<Reply<typeof routines.test>> = {
  name: ({ status }) => status,
  columns: {
    OK: ({ ok }) => ok,
    ERROR: ({ error }) => error ?? null,
    RISKS: ({ risk_reasons }) => risk_reasons.join(', ') || 'none',
    STEPS: ({ steps }) => steps.map(({ id, would }) => `${id}: ${would}`).join('\n'),
  },
}

/** What was saved, and what is to be done next. */
export const savedWords = ({ slug, version, status, risk_reasons }: RoutineRow): string =>
  status === 'proposed'
    ? `Saved version ${version} of ${slug}, which waits for approval (${risk_reasons.join(', ')}): ` +
      `muster routines approve ${slug}`
    : `Saved version ${version} of ${slug}.`
