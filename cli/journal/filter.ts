import { Flags } from '@oclif/core'
import type { Client } from '#client'
import { entryTypes } from '#client/entry-types'
import { actorTypes, priorities, severities } from '#client/words'
import { momentOf } from '../flags.ts'
import { InputError } from '../input.ts'
import { nearest } from '../lookup/find.ts'
import { agentId, crewId } from '../lookup.ts'

const fixed: Partial<Record<keyof FilterFlags, readonly string[]>> = {
  severity: severities,
  actor: actorTypes,
  priority: priorities,
}

const words = (description: string, helpValue = 'A,B') => Flags.string({ helpValue, description })

/** Flags that choose entries of the journal. Lists are comma-separated and mean any of them. */
export const filterFlags = {
  crew: words('only these crews'),
  agent: words('only these agents'),
  run: words('only these runs'),
  trace: words('only these traces'),
  mission: words('only these missions'),
  type: words('only these types, such as run.failed'),
  'exclude-type': words('all but these types'),
  severity: words(severities.join(', ')),
  actor: words(`actor: ${actorTypes.join(', ')}`),
  priority: words(priorities.join(', ')),
  since: words('start time, or how long ago, such as 2h', 'WHEN'),
  until: words('end time, or how long ago', 'WHEN'),
  search: words('phrase in the summary or the payload', 'TEXT'),
}

export type FilterFlags = { [F in keyof typeof filterFlags]?: string | undefined }

const plain = {
  run: 'run_id',
  trace: 'trace_id',
  mission: 'mission_id',
  type: 'entry_type',
  'exclude-type': 'exclude_entry_type',
  severity: 'severity',
  actor: 'actor_type',
  priority: 'priority',
  search: 'q',
} as const

const strayOf = (list: string | undefined, known: readonly string[]): string | undefined =>
  list
    ?.split(',')
    .map((word) => word.trim())
    .find((word) => word !== '' && !known.includes(word))

function checkWords(flags: FilterFlags): void {
  for (const flag of ['type', 'exclude-type'] as const) {
    const stray = strayOf(flags[flag], entryTypes)
    if (stray === undefined) continue
    const near = nearest(stray, entryTypes)
    throw new InputError(
      `--${flag}: there is no entry type "${stray}"${near ? `; did you mean "${near}"?` : '.'}`,
      'muster journal types',
    )
  }
  for (const [flag, known] of Object.entries(fixed)) {
    const stray = strayOf(flags[flag as keyof FilterFlags], known)
    if (stray !== undefined) throw new InputError(`--${flag} must be one of ${known.join(', ')}, not "${stray}".`)
  }
}

/** The query that the flags mean; crews and agents are named by slug or id. */
export async function filterQuery(api: Client, flags: FilterFlags): Promise<Record<string, string>> {
  checkWords(flags)
  const query: Record<string, string> = {}
  for (const [flag, member] of Object.entries(plain)) {
    const value = flags[flag as keyof typeof plain]
    if (value) query[member] = value
  }
  const ids = async (names: string, find: (api: Client, name: string) => Promise<string>) =>
    (await Promise.all(names.split(',').map((name) => find(api, name.trim())))).join(',')
  if (flags.crew) query['crew_id'] = await ids(flags.crew, crewId)
  if (flags.agent) query['agent_id'] = await ids(flags.agent, agentId)
  const [since, until] = [momentOf(flags.since, '--since'), momentOf(flags.until, '--until')]
  return { ...query, ...(since && { since }), ...(until && { until }) }
}
