import type { Client, Connection } from '#client'
import { onwards, tellState } from '../journal/onwards.ts'
import { newest, type Query } from '../journal/past.ts'
import { cleanLine } from '../output/clean.ts'
import type { Printer } from '../output/printer.ts'
import { shellWord } from '../output/shell-word.ts'
import { shorten } from '../output/width.ts'
import type { Mission } from '../views/missions.ts'
import { treeOf } from './tree.ts'

/** In these a mission waits for a person, or for nothing any more. */
const resting: ReadonlySet<string> = new Set(['REVIEW', 'COMPLETED', 'FAILED', 'CANCELLED'])

interface Watching {
  api: Client
  connection: Connection
  out: Printer
  at: { crewId: string; missionId: string }
  /** Whether there is nothing left to watch for. */
  over: (mission: Mission) => boolean
}

/** A mission is over, or a person has to look at it. */
export const isResting = ({ status }: Mission): boolean => resting.has(status)

/** What a person does with a mission that is done. */
export const reviewNext = (mission: string): string =>
  `All is done. Next: muster missions update ${shellWord(mission)} --status completed`

/** Shows the tasks of a mission as they change: a tree drawn anew at a terminal, elsewhere a line for each change. */
export async function watchMission({ api, connection, out, at, over }: Watching): Promise<Mission> {
  const screen = out.terminal ? redrawn(process.stdout) : changes((text) => process.stdout.write(`${text}\n`))
  const query = { mission_id: at.missionId }
  const timer = out.terminal ? setInterval(() => screen.again(), 1000) : undefined
  let mission = await api.missions.show(at)
  try {
    // A mission has at least one entry of the past, so that it is read again once nothing is missed any more.
    for await (const _ of onwards({ api, connection, query, past: past(api, query), onState: tellState(out) })) {
      mission = await api.missions.show(at)
      screen.draw(mission)
      if (over(mission)) return mission
    }
    return mission
  } finally {
    clearInterval(timer)
  }
}

async function* past(api: Client, query: Query) {
  yield* await newest(api, query, 1)
}

const headOf = ({ title, status, planning }: Mission) =>
  `${cleanLine(title)}: ${planning ? 'being planned' : status.toLowerCase().replaceAll('_', ' ')}`

/** The tree in the same place, as long as it fits on the screen. */
function redrawn(stdout: NodeJS.WriteStream) {
  let last: Mission | undefined
  let drawn = 0
  function draw(mission: Mission): void {
    last = mission
    const tree = treeOf(mission.tasks ?? [], mission.lead_agent_slug, Date.now())
    const cut = [headOf(mission), ...tree].slice(0, stdout.rows - 1).map((line) => shorten(line, stdout.columns - 1))
    stdout.write(`${drawn ? `\u001b[${drawn}A\r` : ''}\u001b[J${cut.join('\n')}\n`)
    drawn = cut.length
  }
  return { draw, again: () => last && draw(last) }
}

/** A line for each task whose state changed. */
function changes(write: (text: string) => void) {
  const known = new Map<string, string>()
  return {
    draw(mission: Mission) {
      tell('', `${headOf(mission)}`)
      for (const task of mission.tasks ?? [])
        tell(task.id, `${task.task_order}\t${cleanLine(task.title)}\t${task.status}\t${task.agent_slug ?? 'LEAD'}`)
    },
    again: () => undefined,
  }
  function tell(id: string, text: string): void {
    if (known.get(id) !== text) write(text)
    known.set(id, text)
  }
}
