import type { App } from '#kernel/app'
import type { Prompt, RunSource, SourcedRun } from '#kernel/runs'
import { ownMessages } from '../../runs/messages/service.ts'
import { queries } from '../queries.ts'
import { askText } from './rules.ts'

function prompt(app: App, run: SourcedRun): Prompt | null {
  const mission = run.source_id ? queries(app.db).byId.get(run.source_id) : undefined
  if (!mission) return null
  const text = askText(mission, queries(app.db).agentsOfCrew.all(run.crew_id), mission.error_message)
  const metadata = { mission_id: mission.id }
  return { text, history: () => [], shown: { type: 'user_message', content: text, metadata } }
}

/** Runs in which a LEAD plans a mission: `source_id` is the mission. Their end gives it its tasks. */
export const planSource: RunSource = { prompt, ...ownMessages }
