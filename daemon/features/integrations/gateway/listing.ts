import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import type { Clean } from '../connections/sending.ts'
import { stillThat } from '../find.ts'
import type { ServerRow } from '../queries.ts'
import { learn } from '../tools/learning.ts'
import { readTools } from '../tools/reading.ts'

interface Reading {
  timeoutMs: number
  clean: Clean
}

/** Reads what a server offers this agent, and learns it: it may be less than what others are offered. */
export async function learnTools(app: App, server: ServerRow, client: Client, { timeoutMs, clean }: Reading) {
  const tools = clean(await readTools(client, `The server ${server.name}`, timeoutMs))
  await untilWritten(app, () => {
    const current = stillThat(app, server)
    if (current) learn(app, current, { tools, complete: false, actor: null, now: app.now() })
  })
}
