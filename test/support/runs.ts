import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { expect } from 'vitest'
import type { RuntimeService } from '#runtime/service-types'
import type { Runtime } from '#runtime/types'
import { desiredCrew } from '../../daemon/features/crews/containers/service.ts'
import { createCrewAccess } from '../../daemon/runtime/runs/crew-access.ts'
import { createRuns, type RunService } from '../../daemon/runtime/runs/index.ts'
import { FakeRuntime } from './fake-runtime.ts'
import { closing, daemon, type Person, type TestDaemon } from './index.ts'

export interface Workplace<R extends Runtime> extends TestDaemon {
  runtime: R
  runs: RunService
  crewId: string
  agentId: string
  /** Another agent of the same crew. */
  mate(slug: string): Promise<string>
  openChat(agentId?: string): Promise<string>
  send(chatId: string, content: string, who?: Person | 'OWNER'): Promise<{ message_id: string; run_id: string }>
  /** Address of the listening server. */
  base: string
}

/** A daemon with a crew of one agent, its runs carried out by the given runtime, listening on a port of its own. */
export async function workplace<R extends Runtime = FakeRuntime>(
  options: Parameters<typeof daemon>[0] & { runtime?: R } = {},
): Promise<Workplace<R>> {
  const it = await daemon(options)
  const runtime = options.runtime ?? (new FakeRuntime() as unknown as R)
  const runs = attachRuns(it, runtime)
  const crew = await it.call('OWNER', 'POST', '/crews', { name: 'Backend', slug: 'backend' })
  expect(crew.status, crew.text).toBe(201)
  const mate = async (slug: string) => {
    const { status, body, text } = await it.call('OWNER', 'POST', '/agents', {
      name: `Agent ${slug}`,
      slug,
      crew_id: crew.body.id,
    })
    expect(status, text).toBe(201)
    return body.id as string
  }
  const agentId = await mate('ada')
  const base = await it.http.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...it,
    runtime,
    runs,
    base,
    crewId: crew.body.id,
    agentId,
    mate,
    async openChat(agent = agentId) {
      const { status, body, text } = await it.call('OWNER', 'POST', `/agents/${agent}/chats`, { origin: 'CLI' })
      expect(status, text).toBe(201)
      return body.id
    },
    async send(chatId, content, who = 'OWNER') {
      const { status, body, text } = await it.call(who, 'POST', `/chats/${chatId}/messages`, { content })
      expect(status, text).toBe(202)
      return body
    },
  }
}

/** Lets a daemon carry out runs, as its start does. */
export function attachRuns({ app }: Pick<TestDaemon, 'app'>, runtime: Runtime): RunService {
  const gate = createCrewAccess(app)
  // In place of the reconciler: nothing but the one crew is to be brought up.
  app.runtime = {
    start: (crewId: string) => runtime.ensure(desiredCrew(app, crewId)!.spec, { step: () => undefined }),
  } as unknown as RuntimeService
  const runs = createRuns(app, runtime, gate)
  app.runs = runs
  closing(runs)
  return runs
}

export type Line = Record<string, unknown> & { type: string; seq?: number }

/** A run stream, read line by line. */
export class LineReader {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly reply: IncomingMessage
  private readonly lines: AsyncGenerator<Line>

  constructor(reply: IncomingMessage) {
    this.reply = reply
    this.status = reply.statusCode!
    this.headers = reply.headers
    this.lines = linesOf(reply)
  }

  /** The next line; undefined at the end. */
  async next(): Promise<Line | undefined> {
    const { value, done } = await this.lines.next()
    return done ? undefined : value
  }

  /** Lines up to the first of this type. */
  async until(type: string): Promise<Line[]> {
    const found: Line[] = []
    for (;;) {
      const line = await this.next()
      if (!line) throw new Error(`The stream ended before ${type}: ${JSON.stringify(found)}`)
      found.push(line)
      if (line.type === type) return found
    }
  }

  async rest(): Promise<Line[]> {
    const found: Line[] = []
    for (let line = await this.next(); line; line = await this.next()) found.push(line)
    return found
  }
}

async function* linesOf(reply: IncomingMessage): AsyncGenerator<Line> {
  let rest = ''
  for await (const chunk of reply) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop()!
    for (const line of parts) yield JSON.parse(line) as Line
  }
}

/** Opens the run stream of a chat. */
export const openStream = (base: string, who: Person, chatId: string, query = '', headers = {}): Promise<LineReader> =>
  openLines(base, who, `/chats/${chatId}/stream${query}`, headers)

/** Reads what a path streams over a connection of its own, which closes with the test. */
export async function openLines(
  base: string,
  who: Person,
  path: string,
  headers: Record<string, string> = {},
): Promise<LineReader> {
  const { port } = new URL(base)
  const call = request({
    host: '127.0.0.1',
    port,
    agent: false,
    path: `/api/v1${path}`,
    headers: { authorization: `Bearer ${who.token}`, 'x-workspace-id': who.workspace, ...headers },
  })
  call.end()
  const [reply] = (await once(call, 'response')) as [IncomingMessage]
  closing({ close: () => call.destroy() })
  return new LineReader(reply)
}
