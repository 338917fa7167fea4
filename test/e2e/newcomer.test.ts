import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node-pty'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { seen } from '../support/eyes.ts'
import { leaveOut } from '../support/leave-out.ts'
import { mountMissing, type SmallDisk, smallDisk } from '../support/small-disk.ts'
import { stranger } from '../support/stranger.ts'
import { screen } from '../support/terminal.ts'

// Somebody's first quarter of an hour, typed into a shell at a terminal of 80 columns: a port that is taken, a crew,
// an agent that asks back, a daemon that is killed, a disk without room. What the screen offers next is typed as it
// stands.

leaveOut(mountMissing)

const root = new URL('../..', import.meta.url).pathname
const size = { cols: 80, rows: 24 }
const prompt = 'newcomer: '

let home: string
let disk: SmallDisk
let shell: Awaited<ReturnType<typeof openShell>>

async function openShell(port: number) {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  symlinkSync(join(root, 'bin/muster.js'), join(bin, 'muster'))
  const env = {
    HOME: home,
    PATH: `${bin}:${process.env['PATH']}`,
    PS1: prompt,
    TERM: 'xterm-256color',
    SVC_DATA_DIR: join(disk.path, 'data'),
    SVC_PORT: String(port),
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
  }
  const pty = spawn('/bin/sh', ['-i'], { ...size, name: 'xterm-256color', env, cwd: home })
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  const shown = screen(ended)
  pty.onData(shown.show)
  let read = 0
  const since = () => shown.text().slice(read)
  /** Waits until what was shown since the last line typed matches. */
  const until = async (pattern: RegExp): Promise<void> => {
    for (let length = -1; !pattern.test(since()); ) {
      length = shown.text().length
      await shown.until(new RegExp(`^[\\s\\S]{${length + 1},}`))
    }
  }
  await until(/newcomer: $/)
  return {
    until,
    /** Types a line; what the person sees of it, once the shell asks for the next one. */
    async type(line: string): Promise<string> {
      read = shown.text().length
      pty.write(`${line}\r`)
      await until(/newcomer: $/)
      return (await seen(since(), size.cols, size.rows)).lines.slice(1, -1).join('\n')
    },
    /** Types a line that begins something which asks. */
    begin(line: string): void {
      read = shown.text().length
      pty.write(`${line}\r`)
    },
    /** Answers, and goes on reading behind the answer. */
    async answer(text: string, after: RegExp): Promise<void> {
      await until(after)
      read = shown.text().length
      pty.write(text)
    },
    shown: async () => (await seen(since(), size.cols, size.rows)).lines.join('\n'),
    close: () => pty.kill('SIGKILL'),
  }
}

const nextOf = (shown: string): string => /Next: (muster [^,\n]+)/.exec(shown)![1]!
const pid = () => (JSON.parse(readFileSync(join(disk.path, 'data/musterd.json'), 'utf8')) as { pid: number }).pid

describe.skipIf(mountMissing)('the first quarter of an hour', () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'muster-newcomer-'))
    disk = smallDisk('size=64m')
    shell = await openShell((await stranger()).port)
  })

  afterAll(() => {
    shell.close()
    try {
      process.kill(pid(), 'SIGKILL')
    } catch {
      // It has stopped, as it should.
    }
    disk.remove()
    rmSync(home, { recursive: true, force: true })
  })

  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`The terminal of "${task.name}":\n${await shell.shown()}\n`)
  })

  it('begins with a port that is taken, and with the command that helps', async () => {
    const refused = await shell.type('muster up')
    expect(refused).toContain('is taken by process')
    expect(await shell.type(nextOf(refused))).toMatch(/✓ Muster .* is ready at http:\/\/127\.0\.0\.1:\d+/)
  })

  it('makes the first user, whose answers are checked', async () => {
    shell.begin('muster init')
    await shell.answer('ada\r', /email/)
    await shell.answer('@example.com\r', /Enter an address such as/)
    await shell.answer('Ada Lovelace\r', /name/)
    await shell.answer('short\r', /assword/)
    await shell.answer('\u0015correct horse battery\r', /at least 8 characters/)
    await shell.answer('correct horse battery\r', /again/)
    await shell.until(/Created ada@example\.com[\s\S]*newcomer: $/)
  })

  it('gives work to an agent', async () => {
    expect(await shell.type('muster crews create Backend')).toContain('✓ Created crew backend.')
    await shell.type('muster agents create Grace --crew backend')
    await shell.type(
      'printf sk-ant-none | muster credentials create key --type API_KEY --provider ANTHROPIC --value-stdin',
    )
    await shell.type('muster credentials assign key --agent grace --env-var-name ANTHROPIC_API_KEY')
    const answer = await shell.type('muster ask grace "Write a greeting into hello.txt, please"')
    expect(answer).toContain('The file hello.txt is in my output folder.')
    expect(await shell.type('muster files list grace')).toMatch(/^NAME +SIZE +AGE\nhello\.txt/)
  })

  it('keeps tables within 80 columns', async () => {
    for (const list of ['crews', 'agents', 'runs', 'journal list', 'credentials', 'tokens', 'inbox list']) {
      const shown = await shell.type(`muster ${list}`)
      expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([])
      expect(shown, list).not.toContain('Error:')
    }
  })

  it('answers the agent’s question in the chat', async () => {
    shell.begin('muster chat grace')
    await shell.answer('ask: Which colour?\r', /› /)
    await shell.until(/Which colour\?[\s\S]*Which colour\?/)
    await shell.answer('blue\r', /answer/i)
    await shell.until(/blue[\s\S]*You answered|blue/)
    await shell.answer('\u0004', /tokens/)
    await shell.until(/newcomer: $/)
    expect(await shell.type('muster inbox list')).not.toContain('Which colour?')
  })

  it('goes on after kill -9', async () => {
    await shell.type(`kill -9 ${pid()}`)
    const down = await shell.type('muster crews')
    expect(down).toContain('Next: muster up')
    expect(await shell.type(nextOf(down))).toContain('is ready at')
    expect(await shell.type('muster journal verify')).toMatch(/intact/)
    expect(await shell.type('muster crews')).toContain('backend')
  })

  it('names a full disk, and goes on when there is room', async () => {
    // A database that was closed has no room left in its log, which may hold some changes otherwise.
    await shell.type('muster down && muster up')
    disk.fill()
    const refused = await shell.type('n=0; while muster crews create "Team $((n+=1))"; do :; done')
    expect(refused).toMatch(/disk/i)
    expect(refused).toMatch(/Request /)
    disk.free()
    expect(await shell.type('muster crews create Frontend')).toContain('✓ Created crew frontend.')
    expect(await shell.type('muster journal verify')).toMatch(/intact/)
  })

  it('ends', async () => {
    expect(await shell.type('muster down')).toContain('✓ The daemon has stopped.')
    expect(await shell.type('muster status; echo "ended with $?"')).toContain('ended with 8')
  })
})
