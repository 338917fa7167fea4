import type { Static } from 'typebox'
import type { Standup as Schema } from '#contract/peers'
import { dollars, human, when } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import type { View } from '../output/printer.ts'

type Standup = Static<typeof Schema>
type Agent = Standup['agents'][number]

const sum = ({ agents }: Standup, of: (agent: Agent) => number): number =>
  agents.reduce((total, agent) => total + of(agent), 0)

export const standupView: View<Standup> = {
  name: ({ slug }) => slug,
  columns: {
    Crew: ({ slug }) => slug,
    Since: ({ since }) => when(since),
    Completed: (it) => sum(it, ({ runs }) => runs.completed),
    Failed: (it) => sum(it, ({ runs }) => runs.failed + runs.timed_out),
    Open: (it) => sum(it, ({ runs }) => runs.open),
    'Waits for people': (it) => sum(it, ({ waiting }) => waiting.length),
    Tokens: (it) => sum(it, ({ tokens }) => tokens),
    Cost: ({ agents }) => {
      const known = agents.flatMap(({ cost_usd }) => (cost_usd === null ? [] : [cost_usd]))
      return dollars(agents.length && !known.length ? null : known.reduce((total, one) => total + one, 0))
    },
  },
  below: ({ agents }) =>
    agents
      .flatMap((agent) => ['', headline(agent), ...waiting(agent), ...latest(agent)])
      .map((line) => `${line}\n`)
      .join(''),
}

const counted = (count: number, word: string): string[] => (count ? [`${count} ${word}`] : [])

function headline({ slug, status, runs, asked, answered, cost_usd, unpriced_runs }: Agent): string {
  const did = [
    ...counted(runs.completed, 'completed'),
    ...counted(runs.failed, 'failed'),
    ...counted(runs.timed_out, 'took too long'),
    ...counted(runs.cancelled, 'cancelled'),
    ...counted(runs.open, 'open'),
    ...counted(asked, 'asked of others'),
    ...counted(answered, 'answered for others'),
  ]
  const spent = unpriced_runs ? `over ${human(dollars(cost_usd ?? 0)).text}` : human(dollars(cost_usd)).text
  return `${slug} (${status.toLowerCase()}): ${did.length ? `${did.join(', ')}; ${spent}` : 'nothing'}`
}

const waiting = ({ waiting: open }: Agent): string[] =>
  open.map(({ kind, asked, since }) => `  waits ${human(when(since)).text}, ${kind}: ${cleanLine(asked)}`)

const latest = ({ latest: runs }: Agent): string[] =>
  runs.map(({ run_id, status, finished_at, error, said }) => {
    const words = cleanLine((said ?? error ?? '').split('\n')[0]!)
    return `  ${human(when(finished_at)).text}, ${status.toLowerCase()} ${run_id}${words && `: ${words}`}`
  })
