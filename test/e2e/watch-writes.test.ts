import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../daemon/runtime/docker/exec.ts'
import type { AgentSpec, SeenWrite, WriteGap, WriteWatch } from '../../daemon/runtime/types.ts'
import { ada, bob } from '../daemon/runtime/runtime-contract.ts'
import { buildImage } from '../support/build-image.ts'
import { engine, engineMissing } from '../support/engine.ts'
import { type EngineCrew, type EngineCrews, engineCrews } from '../support/engine-crews.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

const watcherUid = '1005'
let crews: EngineCrews
let crew: EngineCrew
let open: Watched[] = []

interface Watched extends WriteWatch {
  seen: SeenWrite[]
  gaps: WriteGap[]
  folders: number
  reason: string | null
  /** Resolves once the folders are watched. */
  ready: Promise<void>
}

function watch(since = Date.now(), crewId = crew.spec.crewId): Watched {
  let ready = () => {}
  const it: Watched = {
    seen: [],
    gaps: [],
    folders: 0,
    reason: null,
    ready: new Promise((resolve) => {
      ready = resolve
    }),
    ...crews.runtime.watchWrites(crewId, since, {
      ready(folders) {
        it.folders = folders
        ready()
      },
      write: (write) => void it.seen.push(write),
      gap: (gap) => void it.gaps.push(gap),
      ended(reason) {
        it.reason = reason
        ready()
      },
    }),
  }
  open.push(it)
  return it
}

/** As agents work: with the umask that runs have. */
async function as({ uid }: AgentSpec, sh: string): Promise<string> {
  const env = ['HOME=/tmp', 'GIT_CONFIG_COUNT=1', 'GIT_CONFIG_KEY_0=safe.directory', 'GIT_CONFIG_VALUE_0=*']
  const user = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@x' }
  const { code, stdout, stderr } = await run(crew.crew, {
    user: `${uid}:1001`,
    argv: ['sh', '-c', `umask 002; set -e; cd /crew/shared; ${sh}`],
    env: [...env, ...Object.entries(user).map(([name, value]) => `${name}=${value}`)],
  })
  expect(code, stderr).toBe(0)
  return stdout
}

/** The same, and what it did is noticed: a file of Ada's was written in place after it, which is always told. */
async function noticed(it: Watched, agent: AgentSpec, sh: string): Promise<void> {
  const before = of(it, 'mark').length
  await as(agent, `(${sh}); echo >> mark`)
  await expect.poll(() => of(it, 'mark').length).toBeGreaterThan(before)
}

const of = ({ seen }: Watched, path: string) =>
  seen.filter((it) => it.path === `/crew/shared/${path}`).map(({ how, uid }) => `${how} ${uid}`)

const watchers = async (): Promise<string[]> => {
  const { stdout } = await run(crew.crew, { user: '1002:1002', argv: ['pgrep', '-u', watcherUid, 'perl'] })
  return stdout.split('\n').filter(Boolean)
}

describe('what is written in the shared folders of a crew', () => {
  beforeAll(async () => {
    crews = await engineCrews('writes')
    crew = await crews.open()
    await as(ada, 'touch -d 2020-01-01 mark')
  })
  afterEach(async () => {
    for (const it of open) it.close()
    open = []
    await expect.poll(watchers).toEqual([])
  })
  afterAll(() => crews?.close())

  it('is told once two agents have replaced the same file, with both', async () => {
    const it = watch()
    await it.ready
    await noticed(
      it,
      ada,
      'mkdir -p web/src; echo 1 > web/src/.app; mv web/src/.app web/src/app.ts; echo 1 > web/alone',
    )
    await noticed(it, bob, 'echo 2 > web/src/.app; mv web/src/.app web/src/app.ts')
    await expect.poll(() => of(it, 'web/src/app.ts')).toEqual(['new 20001', 'new 20002'])
    expect(of(it, 'web/alone')).toEqual([])
  })

  it('is told of a write in place with the owner of the file, and of what was there before', async () => {
    await as(ada, 'echo 1 > before; echo 1 > long-ago; touch -d 2020-01-01 long-ago')
    const it = watch(Date.now() - 60_000)
    await it.ready
    await noticed(it, bob, 'echo 2 >> before; echo 2 >> long-ago')
    await expect.poll(() => of(it, 'long-ago')).toEqual(['in 20001'])
    expect(of(it, 'before')).toEqual(['old 20001', 'in 20001'])
  })

  it('names the index and the branches of a work tree, and nothing else of a repository', async () => {
    const it = watch()
    await it.ready
    await noticed(
      it,
      ada,
      'git init -q -b main --shared=group repo; cd repo; echo a > a; git add a; git commit -qm one',
    )
    await noticed(it, bob, 'cd repo; echo b > b; git add b; git commit -qm two')
    await expect.poll(() => of(it, 'repo/.git/refs/heads/main')).toEqual(['new 20001', 'new 20002'])
    expect(of(it, 'repo/.git/index')).toEqual(['new 20001', 'new 20002'])
    const inside = it.seen.filter(({ path }) => path.includes('/.git/')).map(({ path }) => path.split('/.git/')[1])
    expect([...new Set(inside)].sort()).toEqual(['index', 'refs/heads/main'])
  })

  it('takes names as they are: lines, tabs, escape sequences and bytes that are no text', async () => {
    const it = watch()
    await it.ready
    const write = `printf x > "$(printf 'a\\nready\\t1\\033[2J%%41\\377')"`
    await noticed(it, ada, write)
    await noticed(it, bob, `rm -f a*; ${write}`)
    await expect.poll(() => of(it, 'a\nready\t1\u001b[2J%41\ufffd')).toEqual(['new 20001', 'new 20002'])
    expect(it.gaps).toEqual([])
  })

  it('leaves out caches, and private folders, which no other agent can write to', async () => {
    const it = watch()
    await it.ready
    await noticed(
      it,
      ada,
      'mkdir -p -m 777 x/node_modules; mkdir -m 700 mine; echo 1 > x/node_modules/f; echo 1 > mine/f',
    )
    await noticed(it, bob, 'rm x/node_modules/f; echo 2 > x/node_modules/f; echo 1 > marker')
    await noticed(it, ada, 'echo 2 > marker2; rm -f marker; echo 1 > marker')
    await expect.poll(() => of(it, 'marker')).toEqual(['new 20002', 'new 20001'])
    expect(of(it, 'x/node_modules/f')).toEqual([])
    expect(it.gaps).toEqual([])
  })

  it('follows a folder that is moved, and what is created deep below at once', async () => {
    const it = watch()
    await it.ready
    await noticed(it, ada, 'mkdir -p d/1/2/3/4/5/6; echo 1 > d/1/2/3/4/5/6/f; mv d/1/2 d/two')
    await noticed(it, bob, 'rm d/two/3/4/5/6/f; echo 2 > d/two/3/4/5/6/f')
    const uids = () => of(it, 'd/two/3/4/5/6/f').map((told) => told.split(' ')[1])
    await expect.poll(uids).toEqual(['20001', '20002'])
  })

  it('says which part is not watched where there are too many folders, or too deep ones', async () => {
    await as(ada, 'mkdir many; cd many; seq -f d%g 1 9000 | xargs mkdir; cd ..')
    await as(ada, 'p=deep; for i in $(seq 45); do p=$p/d; done; mkdir -p $p')
    const it = watch()
    await it.ready
    expect(it.folders).toBe(8192)
    expect(it.gaps.map(({ what }) => what)).toContain('folders')
    await as(ada, 'rm -r many')
    const less = watch()
    await less.ready
    expect(less.gaps.map(({ what }) => what)).toEqual(['deep'])
    expect(less.gaps[0]!.path).toMatch(/^\/crew\/shared\/deep(\/d){30,}$/)
  })

  it('cannot be ended, stopped or read from by an agent', async () => {
    const it = watch()
    await it.ready
    const [pid] = await watchers()
    const tries = ['kill -9 $P', 'kill -STOP $P', 'echo > /proc/$P/fd/0', 'cat /proc/$P/fd/1', 'cat /proc/$P/environ']
    const all = tries.map((one) => `if (${one}) 2>/dev/null; then echo done; fi`).join('; ')
    const said = await as(ada, `P=${pid}; ${all}`)
    expect(said).toBe('')
    await noticed(it, ada, 'echo 1 > still')
    await noticed(it, bob, 'rm -f still; echo 2 > still')
    await expect.poll(() => of(it, 'still')).toEqual(['new 20001', 'new 20002'])
  })

  it('takes no other user for the writer of a file that is dated far into the future', async () => {
    const dated = 'mkdir /dev/shm/d; touch -d @2201023255552 /dev/shm/d/f'
    const argv = ['sh', '-c', 'perl /opt/muster/watch-writes.pl 10 /dev/shm/d /dev/shm/d </dev/null']
    await as(ada, dated)
    // In the second folder, which is the first one, the file has the same owner: nothing is to be told.
    expect((await run(crew.crew, { user: `${watcherUid}:1001`, argv })).stdout).toBe('ready\t1\n')
  })

  it('says how much it left out of a flood, and goes on', async () => {
    const it = watch()
    await it.ready
    await noticed(it, ada, 'mkdir flood; cd flood; seq -f f%g 1 2000 | xargs touch; chmod 666 *')
    await as(bob, 'cd flood; for f in *; do echo >> $f; done')
    await expect.poll(() => it.gaps.some(({ what }) => what === 'left')).toBe(true)
    await noticed(it, ada, 'echo 1 > after')
    await noticed(it, bob, 'rm -f after; echo 2 > after')
    await expect.poll(() => of(it, 'after')).toEqual(['new 20001', 'new 20002'])
  })

  it('is not told where the image has no Perl, which is the reason', async () => {
    const image = 'muster-no-perl:test'
    await buildImage(image, ['RUN rm -f /usr/bin/perl*'])
    try {
      const { spec } = await crews.open({ image })
      const it = watch(Date.now(), spec.crewId)
      await it.ready
      expect([it.reason, it.folders]).toEqual(['the image of the crew has no perl', 0])
      await crews.runtime.remove(spec.crewId, { data: true })
    } finally {
      await engine.getImage(image).remove({ force: true })
    }
  })

  it('ends with the connection of the daemon, and says so when the crew stops', async () => {
    const it = watch()
    await it.ready
    expect(await watchers()).toHaveLength(1)
    it.close()
    await expect.poll(watchers).toEqual([])
    expect(it.reason).toBeNull()
    const other = watch()
    await other.ready
    await crews.runtime.stop(crew.spec.crewId, { now: true })
    await expect.poll(() => other.reason).toMatch(/ended|closed/)
    const late = watch()
    await late.ready
    expect(late.reason).toMatch(/not running/)
    await crews.runtime.ensure(crew.spec, { step() {} })
    crew.crew = engine.getContainer((await crews.runtime.observe(crew.spec.crewId))[0]!.containerId)
  })
})
