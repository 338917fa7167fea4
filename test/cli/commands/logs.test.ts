import { describe, expect, it } from 'vitest'
import { fact } from '#contract/entries'
import { calls, gets, init, result, says } from '../../support/claude-lines.ts'
import { cliFor } from '../../support/cli.ts'
import type { FakeRuntime } from '../../support/fake-runtime.ts'
import { beginMadeUp } from '../../support/made-up-source.ts'
import { attachRuns, type Workplace, workplace } from '../../support/runs.ts'

type Place = Workplace<FakeRuntime>

/** What the sidecar reports of a connection that it refused. */
const refuse = ({ app, workspace, crewId, agentId }: Place, host: string) =>
  app.writeNow(() =>
    app.journal(
      fact(
        'network.egress',
        { denied: true, host, port: 443, reason: 'not on the list' },
        { workspace_id: workspace, crew_id: crewId, agent_id: agentId, actor_type: 'sidecar' },
      ),
    ),
  )
const stopped = ({ app, workspace, crewId }: Place) =>
  app.writeNow(() =>
    app.journal(
      fact(
        'container.stopped',
        { container_id: null },
        { workspace_id: workspace, crew_id: crewId, actor_type: 'system' },
      ),
    ),
  )

async function work(place: Place, n = 0, thing = 'the garden'): Promise<string> {
  const id = await beginMadeUp(place, place.agentId, { thing })
  const program = await place.runtime.program(n)
  place.runtime.print(program, init, says('I look.'), calls('t1', 'Bash', { command: 'ls' }), gets('t1', 'a'), result())
  place.runtime.finish(program)
  await place.runs.ended(id)
  return id
}

const columns = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t').slice(1))

describe('muster logs', () => {
  it('tells runs, containers and refused connections in one order', async () => {
    const place = await workplace()
    const { run } = await cliFor(place)
    const id = await work(place)
    place.clock.advance(1000)
    refuse(place, 'evil.example')
    stopped(place)
    const words = [
      ['info', 'run', 'ada', id, 'Agent ada started a run'],
      ['info', 'run', 'ada', id, '> Look after the garden'],
      ['info', 'run', 'ada', id, 'I look.'],
      ['info', 'run', 'ada', id, '✓ Bash  ls'],
      ['info', 'run', 'ada', id, "Agent ada's run was completed"],
    ]
    const refused = ['warn', 'network', 'ada', '', expect.stringMatching(/evil\.example:443.* was refused/)]
    const stop = ['info', 'container', 'backend', '', 'Crew backend has stopped']
    for (const name of ['ada', 'backend', 'crew/backend'])
      expect(columns((await run('logs', name)).stdout)).toEqual([...words, refused, stop])
    expect(columns((await run('logs', id)).stdout)).toEqual(words)
  })

  it('keeps to --tail, --since and --grep, and to NDJSON', async () => {
    const place = await workplace()
    const { run } = await cliFor(place)
    const id = await work(place)
    refuse(place, 'evil.example')
    expect(columns((await run('logs', 'ada', '--tail', '2')).stdout).map((line) => line[1])).toEqual(['run', 'network'])
    expect(columns((await run('logs', 'ada', '--grep', 'LOOK\\.')).stdout)).toEqual([
      ['info', 'run', 'ada', id, 'I look.'],
    ])
    expect((await run('logs', 'ada', '--since', '2999-01-01')).stdout).toBe('')
    const lines = (await run('logs', 'ada', '--tail', '1', '-o', 'ndjson')).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        ts: expect.stringMatching(/^\d{4}-/),
        level: 'warn',
        source: 'network',
        who: 'ada',
        run_id: null,
        text: expect.stringContaining('evil.example'),
      },
    ])
    expect(await run('logs', 'ada', '--grep', '(')).toMatchObject({ code: 2, stdout: '' })
    expect(await run('logs', 'nobody')).toMatchObject({ code: 3, stdout: '' })
  })

  it('follows a run to its end over a new daemon, and tells each line once', async () => {
    const place = await workplace()
    const { terminal } = await cliFor(place)
    const id = await beginMadeUp(place, place.agentId)
    const program = await place.runtime.program()
    place.runtime.print(program, init, says('one\n'))
    const followed = terminal(['logs', id, '-f'], { cols: 120, env: { NO_COLOR: '1' } })
    await followed.until(/one/)
    place.runtime.print(program, says('two\n'))
    await followed.until(/two/)
    place.http.server.closeAllConnections()
    const before = place.runs
    place.runs = attachRuns(place, place.runtime)
    await before.close()
    await place.runs.recover()
    await followed.until(/The connection is back/)
    refuse(place, 'late.example')
    place.runtime.print(program, says('three\n'), result())
    await followed.until(/three/)
    place.runtime.finish(program)
    expect(await followed.ended).toBe(0)
    expect(
      followed
        .text()
        .match(/started a run|garden|\bone|\btwo|three|late\.example|completed/g)!
        .sort(),
    ).toEqual(['started a run', 'garden', 'one', 'two', 'three', 'late.example', 'completed'].sort())
  })

  it('follows an agent over its runs', async () => {
    const place = await workplace()
    const { terminal } = await cliFor(place)
    await work(place)
    const followed = terminal(['logs', 'ada', '-f', '--tail', '1'], { cols: 120, env: { NO_COLOR: '1' } })
    await followed.until(/completed/)
    await work(place, 1, 'the second')
    await followed.until(/completed.*> Look after the second.*I look\..*completed/s)
    expect(followed.text().match(/Look after|I look/g)).toEqual(['Look after', 'I look'])
  })
})
