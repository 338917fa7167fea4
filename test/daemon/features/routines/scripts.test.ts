import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { ProcessRuntime } from '../../../../daemon/runtime/process/runtime.ts'
import { createScripts } from '../../../../daemon/runtime/scripts/index.ts'
import { type Step, withRoutines } from '../../../support/routines.ts'
import { workplace } from '../../../support/runs.ts'

const root = new URL('../../../..', import.meta.url).pathname

/** A daemon with a crew whose scripts are real processes, and the folder that the crew shares. */
async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-scripts-'))
  closing({ close: () => rmSync(folder, { recursive: true, force: true }) })
  const runtime = new ProcessRuntime({ folder, programs: join(root, 'daemon/runtime/spool') })
  closing(runtime)
  const it = withRoutines(await workplace({ runtime, config: { containerProvider: 'process' } }))
  const scripts = createScripts(it.app, runtime)
  it.app.scripts = scripts
  closing(scripts)
  const shared = join(folder, it.crewId, 'shared')
  mkdirSync(shared, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(shared, name), text)
  const saved = (slug: string, step: Step, more = {}) => it.save(slug, [step], more, it.crewId)
  return { ...it, scripts, shared, folder, write, saved }
}

const script = (path: string, more: object = {}, of: object = {}): Step => ({
  id: 'work',
  type: 'script',
  script: { path, ...more },
  ...of,
})
const once = { retry: { max_attempts: 2, backoff: { min_ms: 0, jitter: false } } }

describe('script steps', () => {
  it('run a file of the crew with inputs, arguments and variables, and give what it prints', async () => {
    const it = await place()
    it.write('sum.sh', 'printf \'{"n":%s,"who":"%s","rest":"%s","all":%s}\' "$INPUT_N" "$WHO" "$*" "$(cat)"')
    const more = { args: ['a b', '{{ inputs.n }}', '{{ env.WHO }}'], env: { WHO: 'for {{ inputs.who }}' } }
    const inputs = [
      { name: 'n', type: 'number' },
      { name: 'who', type: 'string' },
    ]
    await it.saved('sum', script('/crew/shared/sum.sh', more), { inputs })
    const done = await it.run('sum', { inputs: { n: 3, who: '$(id)' } })
    expect(done).toMatchObject({
      status: 'COMPLETED',
      output: { n: 3, who: 'for $(id)', rest: 'a b 3 for $(id)', all: { n: 3, who: '$(id)' } },
    })
    expect(it.entries().filter(({ entry_type }) => entry_type === 'pipeline.step.container_ready')).toMatchObject([
      { trace_id: done.run_id, payload: { step_id: 'work', step_type: 'script', attempt: 1 } },
    ])
  })

  it('fail with what the script said, and are tried again as often as they may be', async () => {
    const it = await place()
    it.write(
      'twice.sh',
      'if [ -e again ]; then echo done; else touch "$SVC_CREW_SHARED/tried"; echo no >&2; exit 3; fi',
    )
    await it.saved('fails', script('twice.sh'))
    expect(await it.run('fails')).toMatchObject({
      status: 'FAILED',
      error_message: 'The script ended with 3: no',
    })
    it.write(
      'grow.sh',
      'echo x >> "$SVC_CREW_SHARED/count"; [ "$(wc -l < "$SVC_CREW_SHARED/count")" -ge 2 ] && echo ok',
    )
    await it.saved('grows', script('grow.sh', {}, once))
    expect(await it.run('grows')).toMatchObject({ status: 'COMPLETED', output: 'ok' })
  })

  it.each<[string, string, object, object, RegExp]>([
    ['a file that is not there', '', { path: 'none.sh' }, {}, /There is no file .*none\.sh/],
    ['no such interpreter', 'echo', { interpreter: 'cobol' }, {}, /The container has no cobol/],
    ['another content than it must have', 'echo', { sha256: 'a'.repeat(64) }, {}, /is not the one that is expected/],
    ['an endless output', 'yes', {}, {}, /printed more than 1048576 bytes/],
    ['more time than it may take', 'exec sleep 100', {}, { timeout_seconds: 1 }, /not done after 1 seconds/],
    ['a signal', 'kill -SEGV $$', {}, {}, /was ended by SIGSEGV/],
  ])('fail for %s', async (_, text, more, of, message) => {
    const it = await place()
    it.write('it.sh', text)
    await it.saved('fails', script('it.sh', more, of))
    const done = await it.run('fails', { wait_seconds: 0 })
    expect((await it.until(done.run_id, 'failed')).error_message).toMatch(message)
  })

  it('run a copy of the content that they name', async () => {
    const it = await place()
    const text = 'rm "$SVC_CREW_SHARED/it.sh"; echo "$0"'
    it.write('it.sh', text)
    await it.saved('pinned', script('it.sh', { sha256: createHash('sha256').update(text).digest('hex') }))
    expect((await it.run('pinned')).output).toMatch(/homes\/_script0\/script-it\.sh$/)
  })

  it('are given secrets in variables alone, which nobody sees', async () => {
    const secret = 'tok-4711-secret'
    const it = await place()
    await it.call('OWNER', 'POST', '/credentials', { name: 'TOKEN', type: 'SECRET', value: secret })
    it.write('tell.sh', 'test "$T" = tok-4711-secret && echo "it is $T"; echo "it is $T" >&2; exit "$INPUT_CODE"')
    const more = { credentials_required: [{ type: 'TOKEN' }], inputs: [{ name: 'code', type: 'number' }] }
    await it.saved('tell', script('tell.sh', { env: { T: '{{ secrets.TOKEN }}' } }), more)
    expect(await it.run('tell', { inputs: { code: 0 } })).toMatchObject({ output: 'it is [redacted]' })
    expect((await it.run('tell', { inputs: { code: 1 } })).error_message).toMatch(/it is \[redacted\]$/)
    expect(JSON.stringify([it.entries(), it.app.db.prepare('SELECT * FROM routine_steps').all()])).not.toContain(secret)
  })

  it('leave nothing behind, and no more than eight of a crew run at a time', async () => {
    const it = await place()
    it.write(
      'wait.sh',
      'echo $$ >> "$SVC_CREW_SHARED/began"; while [ ! -e "$SVC_CREW_SHARED/go" ]; do sleep 0.05; done',
    )
    const steps = Array.from({ length: 10 }, (_, n) => ({ ...script('wait.sh'), id: `s${n}`, needs: [] }))
    await it.save('many', steps, {}, it.crewId)
    const { run_id } = await it.run('many', { wait_seconds: 0 })
    const began = () => {
      const file = join(it.shared, 'began')
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0
    }
    await expect.poll(began).toBe(8)
    expect(it.scripts.usersOf(it.crewId)).toHaveLength(8)
    expect(it.scripts.isLive(it.crewId)).toBe(true)
    it.write('go', '')
    await it.until(run_id, 'completed')
    expect(began()).toBe(10)
    await expect.poll(() => it.scripts.isLive(it.crewId)).toBe(false)
    for (const name of ['homes', 'output', 'spool', 'workspace', 'secrets'])
      expect(existsSync(join(it.folder, it.crewId, name, '_script0')), name).toBe(false)
  })

  it('are ended with their run, and with their crew', async () => {
    const it = await place()
    it.write('wait.sh', 'echo $$ > "$SVC_CREW_SHARED/pid"; exec sleep 1000')
    await it.saved('wait', script('wait.sh', {}, once))
    const pid = () => {
      const file = join(it.shared, 'pid')
      return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    }
    const begin = async () => {
      rmSync(join(it.shared, 'pid'), { force: true })
      const { run_id } = await it.run('wait', { wait_seconds: 0 })
      await expect.poll(pid).toBeGreaterThan(0)
      return run_id as string
    }
    const first = await begin()
    await it.call('ADMIN', 'POST', `${it.W}/pipelines/runs/${first}/cancel`)
    await expect.poll(() => it.scripts.isLive(it.crewId)).toBe(false)
    expect(() => process.kill(pid(), 0)).toThrow()
    expect(await it.result(first)).toMatchObject({ status: 'cancelled', steps: [{ status: 'cancelled' }] })
    const second = await begin()
    await it.scripts.endAll(it.crewId, 'The crew was stopped')
    expect(() => process.kill(pid(), 0)).toThrow()
    expect(await it.until(second, 'failed')).toMatchObject({
      error_message: 'The script was stopped: The crew was stopped',
      steps: [{ attempt: 1 }],
    })
  })

  it('go on while no daemon is there, and have their result once', async () => {
    const it = await place()
    it.write(
      'slow.sh',
      'echo x >> "$SVC_CREW_SHARED/count"; while [ ! -e "$SVC_CREW_SHARED/go" ]; do sleep 0.05; done; echo ok',
    )
    await it.saved('slow', script('slow.sh'))
    const { run_id } = await it.run('slow', { wait_seconds: 0 })
    await expect.poll(() => existsSync(join(it.shared, 'count'))).toBe(true)
    it.stop()
    it.write('go', '')
    it.restart()
    expect(await it.until(run_id, 'completed')).toMatchObject({ output: 'ok', steps: [{ attempt: 1 }] })
    expect(readFileSync(join(it.shared, 'count'), 'utf8')).toBe('x\n')
  })

  it.each([
    ['that may be tried again are', once, 'completed', 2],
    ['that may not are not', {}, 'failed', 1],
  ])('that were lost while no daemon was there, and %s', async (_, of, status, attempt) => {
    const it = await place()
    it.write('die.sh', 'echo $$ > "$SVC_CREW_SHARED/pid"; [ -e "$SVC_CREW_SHARED/go" ] || exec sleep 1000')
    await it.saved('dies', script('die.sh', {}, of))
    const { run_id } = await it.run('dies', { wait_seconds: 0 })
    await expect.poll(() => existsSync(join(it.shared, 'pid'))).toBe(true)
    it.stop()
    it.write('go', '')
    // Its supervisor dies too, as with a machine that loses its power: there is no record of the end.
    const spool = join(it.folder, it.crewId, 'spool', '_script0')
    const [run] = it.app.db.prepare('SELECT state_json FROM routine_steps').pluck().all() as string[]
    const { program } = JSON.parse(run!)
    for (const pid of [
      readFileSync(join(spool, `${program}.run`), 'utf8'),
      readFileSync(join(it.shared, 'pid'), 'utf8'),
    ])
      process.kill(Number(pid), 'SIGKILL')
    it.restart()
    const ended = await it.until(run_id, status)
    expect(ended.steps).toMatchObject([{ attempt }])
    if (status === 'failed') expect(ended.error_message).toMatch(/^Whether the script took effect is not known/)
  })

  it('that had begun keep their user when others wait to begin', async () => {
    const it = await place()
    it.write('slow.sh', 'until [ -e "$SVC_CREW_SHARED/go" ]; do sleep 0.05; done; echo "$0 in $PWD"')
    const wait: Step = { id: 'wait', type: 'wait', wait: { kind: 'event', event_type: 'go' } }
    await it.save('first', [wait, script('slow.sh')], {}, it.crewId)
    await it.saved('second', script('slow.sh'))
    const first = await it.run('first')
    it.clock.advance(1000)
    const second = await it.run('second', { wait_seconds: 0 })
    const kept = () =>
      it.app.db.prepare<[], string | null>("SELECT state_json FROM routine_steps WHERE type = 'script'").pluck().all()
    await expect.poll(() => kept().filter(Boolean)).toHaveLength(1)
    await it.call('MANAGER', 'POST', `${it.W}/signals`, { event_type: 'go' })
    await expect.poll(() => kept().filter(Boolean)).toHaveLength(2)
    it.stop()
    // As if the older run's script had not begun when the daemon died: the younger one's has the first user.
    it.app.db.prepare('UPDATE routine_steps SET state_json = NULL WHERE run_id = ?').run(first.run_id)
    it.restart()
    await expect.poll(() => kept().filter(Boolean)).toHaveLength(2)
    const slots = kept().map((one) => JSON.parse(one!).slot)
    expect(new Set(slots).size).toBe(2)
    it.write('go', '')
    for (const { run_id } of [first, second]) await it.until(run_id, 'completed')
  })

  it('need a crew', async () => {
    const it = await place()
    await it.save('alone', [script('it.sh')])
    expect((await it.run('alone')).error_message).toMatch(/has no crew/)
  })
})
