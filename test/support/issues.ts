import { expect } from 'vitest'
import { init, result, says } from './claude-lines.ts'
import type { FakeRuntime } from './fake-runtime.ts'
import type { Workplace } from './runs.ts'

type Who = Parameters<Workplace<FakeRuntime>['call']>[0]

/** What tests do with the issues of a workplace. */
export function issuesOf<W extends Workplace<FakeRuntime>>(it: W) {
  const path = `/crews/${it.crewId}/issues`
  const open = async (body: object = {}, who: Who = 'MANAGER'): Promise<string> => {
    const { status, body: made, text } = await it.call(who, 'POST', path, { title: 'Fix it', ...body })
    expect(status, text).toBe(201)
    return made.identifier
  }
  const given = (body: object = {}, who: Who = 'MANAGER') =>
    open({ assignee_type: 'agent', assignee_id: it.agentId, ...body }, who)
  const start = (identifier: string, who: Who = 'MANAGER') => it.call(who, 'POST', `${path}/${identifier}/start`)
  const stop = (identifier: string, who: Who = 'MANAGER') => it.call(who, 'POST', `${path}/${identifier}/stop`)
  const change = (identifier: string, body: object, who: Who = 'MANAGER') =>
    it.call(who, 'PATCH', `${path}/${identifier}`, body)
  const say = (identifier: string, body: string, who: Who = 'MEMBER') =>
    it.call(who, 'POST', `${path}/${identifier}/comments`, { body })
  const read = async (identifier: string) => (await it.call('VIEWER', 'GET', `/issues/${identifier}`)).body
  const listed = async (identifier: string, what: string) =>
    (await it.call('VIEWER', 'GET', `${path}/${identifier}/${what}`)).body
  const runsOf = (identifier: string, query = '') => listed(identifier, `runs${query}`)
  const comments = async (identifier: string) =>
    (await listed(identifier, 'comments')).map(
      ({ author_type, author_name, body }: { author_type: string; author_name: string; body: string }) => [
        author_type,
        author_name,
        body,
      ],
    )
  /** Newest first. */
  const events = async (identifier: string) =>
    (await listed(identifier, 'activity')).map(({ action, details }: { action: string; details: string | null }) => [
      action,
      details,
    ])
  /** An issue at which the agent is at work, in the n-th program. */
  const started = async (body: object = {}, who: Who = 'MANAGER') => {
    const identifier = await given(body, who)
    const count = it.runtime.programs.size
    const { status, body: begun, text } = await start(identifier, who)
    expect(status, text).toBe(200)
    const program = await it.runtime.program(count)
    return { identifier, run: begun.run_id as string, chat: begun.chat_id as string, program }
  }
  type Program = Awaited<ReturnType<FakeRuntime['program']>>
  const ends = async (run: string, program: Program, ...words: string[]) => {
    it.runtime.print(program, init, ...words.map(says), result())
    it.runtime.finish(program)
    await it.runs.ended(run)
  }
  const inbox = async (who: Who, kind = 'message') =>
    (await it.call(who, 'GET', `/inbox?kind=${kind}`)).body.rows as Record<string, unknown>[]
  return { ...it, path, open, given, start, stop, change, say, read, runsOf, comments, events, started, ends, inbox }
}
