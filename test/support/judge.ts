import type { App } from '#kernel/app'
import { newId } from '#kernel/ids'
import { conclude } from '../../daemon/features/keeper/requests/outcomes.ts'
import { queries } from '../../daemon/features/keeper/requests/queries.ts'
import { server } from './server.ts'

export interface Said {
  decision?: string
  reason?: string
  risk?: number
}

/** What a judge of a test says to a question: a verdict, a text of its own, or nothing at all. */
export type Says = (question: string, count: number) => Said | string | null | Promise<Said | string | null>

/** A judge that speaks as Ollama does. */
export async function judgeServer(says: Says) {
  const asked: { system: string; prompt: string }[] = []
  const it = await server(async ({ url }, response) => {
    if (url === '/api/tags') return void response.end('{"models":[{"name":"qwen3"}]}')
    const { messages } = JSON.parse(it.seen.at(-1)!.body) as { messages: { content: string }[] }
    const prompt = messages[1]!.content
    asked.push({ system: messages[0]!.content, prompt })
    const answer = await says(prompt, asked.length)
    if (answer === null) return
    const content = typeof answer === 'string' ? answer : JSON.stringify({ reason: 'It fits', risk: 2, ...answer })
    response.end(JSON.stringify({ message: { role: 'assistant', content }, done: true }))
  })
  return { ...it, asked }
}

/** A request that a judge put before people; its id. */
export function putBeforePeople(
  app: App,
  { workspace, crew, agent }: { workspace: string; crew: string; agent: string },
  credential: string,
): string {
  const id = newId(app.clock())
  const none = { task_id: null, run_id: null, chat_id: null, call_id: null, command: null, env_var: null }
  queries(app.db).insert.run({
    ...none,
    id,
    workspace_id: workspace,
    crew_id: crew,
    agent_id: agent,
    credential_id: credential,
    security_level: 3,
    request_type: 'access',
    intent: 'publish the release of the web site',
    created_at: app.now(),
  })
  conclude(app, id, { decision: 'ESCALATE', reason: 'People know', risk: 5, rule: 'judge' })
  return id
}
