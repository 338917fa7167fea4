import { describe, expect, it } from 'vitest'
import { gitLog, listHome, type Place, saveAgentFile } from '../../../daemon/runtime/agent-files.ts'
import type { AgentSpec, CrewSpec, Runtime } from '../../../daemon/runtime/types.ts'

interface Scene {
  runtime: Runtime
  crew: CrewSpec
  agent: AgentSpec
}

const bytes = (text: string) => Buffer.from(text)

/** A repository whose settings start programs wherever git lets them. */
const hostile = `
set -e
mkdir -p "$1" && cd "$1" && git init -q .
git config user.name Ada && git config user.email ada@example.com
echo one >a.txt && echo '*.txt diff=evil' >.gitattributes
git add . && git commit -q -m 'First

with more'
echo two >a.txt && git commit -qam 'Second'
printf '#!/bin/sh\\ntouch %s/ran\\ncat\\n' "$HOME" >.git/evil && chmod +x .git/evil
cp .git/evil .git/hooks/post-index-change
for it in core.fsmonitor core.pager pager.log gpg.program diff.external diff.evil.textconv diff.evil.command \\
  core.sshCommand core.editor core.alternateRefsCommand; do git config $it "$PWD/.git/evil"; done
git config log.showSignature true
`

/** What every runtime promises about the files of agents. */
export function filesContract(scene: () => Scene): void {
  const place = (): Place => ({ crewId: scene().crew.crewId, agent: scene().agent })
  const save = (path: string, text: string, on = {}) => saveAgentFile(scene().runtime, place(), path, bytes(text), on)
  const read = async (path: string) => String(await scene().runtime.readFile(scene().crew.crewId, scene().agent, path))
  const sh = async (script: string, ...args: string[]) => {
    const { runtime, crew, agent } = scene()
    const { home, output } = runtime.places(crew.crewId, agent)
    const argv = ['sh', '-c', script, 'sh', ...args]
    const env = { HOME: home, OUT: output }
    const ended = await runtime.command(crew.crewId, agent, { argv, env, seconds: 20 })
    expect(ended).toMatchObject({ code: 0 })
    return ended.stdout
  }

  describe('files of agents', () => {
    it('are saved as the agent, with the folders above, and read back', async () => {
      expect(await save('new/deep/a.txt', 'hello')).toMatchObject({ status: 'saved', created: true })
      expect(await read('new/deep/a.txt')).toBe('hello')
      expect(await sh('cd "$OUT/new/deep" && echo more >>a.txt && stat -c %a a.txt && ls -A')).toBe('664\na.txt\n')
      expect(await save('new/deep/a.txt', 'hello\n')).toMatchObject({ status: 'saved', created: false })
    })

    it('are left as they are when they have that content, also their time', async () => {
      await save('same.txt', 'same')
      const before = await sh('stat -c "%i %y" "$OUT/same.txt"')
      expect(await save('same.txt', 'same')).toMatchObject({ status: 'unchanged', created: false })
      expect(await sh('stat -c "%i %y" "$OUT/same.txt"')).toBe(before)
    })

    it('keep their permissions', async () => {
      await sh('echo 1 >"$OUT/run.sh" && chmod 750 "$OUT/run.sh"')
      await save('run.sh', 'echo 2')
      expect(await sh('stat -c %a "$OUT/run.sh"')).toBe('750\n')
    })

    it('are refused to those who name another version', async () => {
      const { etag } = (await save('plan.md', 'one')) as { etag: string }
      await sh('echo two >"$OUT/plan.md"')
      expect(await save('plan.md', 'three', { match: [etag] })).toMatchObject({ status: 'changed' })
      expect(await save('plan.md', 'three', { absent: true })).toMatchObject({ status: 'changed' })
      expect(await save('absent.md', 'three', { match: ['*'] })).toEqual({ status: 'changed', etag: null })
      expect(await read('plan.md')).toBe('two\n')
      const { etag: now } = (await save('plan.md', 'three', { match: ['*'] })) as { etag: string }
      expect(await save('plan.md', 'four', { match: ['"x"', now] })).toMatchObject({ status: 'saved' })
    })

    it('are not saved through links, into folders or special files', async () => {
      await sh('cd "$OUT" && mkdir -p real && echo safe >real/b && ln -s real link && ln -s real/b file && mkfifo pipe')
      for (const path of ['link/b', 'file', 'pipe', 'real/b/c'])
        expect([path, await save(path, 'bad')]).toEqual([path, { status: 'link' }])
      expect(await save('real', 'bad')).toEqual({ status: 'folder' })
      expect(await sh('cat "$OUT/real/b"')).toBe('safe\n')
    })

    it('may be written by the agent meanwhile: whoever holds the old one goes on with it', async () => {
      const saved = sh(
        'cd "$OUT" && exec 3>busy.txt && echo before >&3 && touch open && while [ -e open ]; do :; done; ' +
          'echo after >&3; cat busy.txt',
      )
      await expect.poll(() => sh('[ -e "$OUT/open" ] && echo yes || echo no')).toBe('yes\n')
      const { runtime, crew, agent } = scene()
      expect(await runtime.readFile(crew.crewId, agent, 'busy.txt')).toEqual(bytes('before\n'))
      expect(await save('busy.txt', 'ours')).toMatchObject({ status: 'saved' })
      await sh('rm "$OUT/open"')
      expect(await saved).toBe('ours')
      expect(await read('busy.txt')).toBe('ours')
    })

    it('carry any bytes, up to many', async () => {
      const { runtime, crew, agent } = scene()
      const content = Buffer.alloc(8 * 1024 * 1024, Buffer.from([0, 255, 10, 13, 4]))
      expect(await saveAgentFile(runtime, place(), 'large.bin', content)).toMatchObject({ status: 'saved' })
      expect(content.equals((await runtime.readFile(crew.crewId, agent, 'large.bin'))!)).toBe(true)
      expect(await sh('ls -A "$OUT" | grep -c "[.]new$" || true')).toBe('0\n')
    })

    it('say what the home folder holds, three levels deep and behind no link', async () => {
      await sh('cd "$HOME" && mkdir -p h/1/2/3 && echo x >h/1/f && ln -s / h/root && mkdir h/shut && chmod 0 h/shut')
      const found = await listHome(scene().runtime, place(), 'h')
      expect(found.map(({ path, is_dir }) => (is_dir ? `${path}/` : path)).sort()).toEqual([
        'h/1/',
        'h/1/2/',
        'h/1/2/3/',
        'h/1/f',
        'h/root',
        'h/shut/',
      ])
    })
  })

  describe('the log of a repository', () => {
    it('is empty where there is none', async () => {
      await sh('rm -rf "$OUT/.git"')
      expect(await gitLog(scene().runtime, place(), false)).toEqual([])
    })

    it('tells the last commits, and no setting of the repository runs anything', async () => {
      await sh(`rm -f "$HOME/ran"; ${hostile}`, scene().runtime.places(place().crewId, place().agent).output)
      await sh('rm -f "$HOME/ran"')
      const commits = await gitLog(scene().runtime, place(), true)
      expect(commits).toMatchObject([
        {
          message: 'Second',
          author: 'Ada',
          hash: expect.stringMatching(/^[0-9a-f]{40}$/),
          patch: expect.stringContaining('-one\n+two'),
        },
        { message: 'First\n\nwith more', patch: expect.stringContaining('+one') },
      ])
      expect(commits[0]!.date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/)
      expect((await gitLog(scene().runtime, place(), false))[0]).not.toHaveProperty('patch')
      expect(await sh('[ -e "$HOME/ran" ] && echo ran || echo quiet')).toBe('quiet\n')
      await sh('rm -rf "$OUT/.git"')
    })
  })
}
