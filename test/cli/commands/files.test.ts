import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { placeOf } from '../../../daemon/features/crews/places/service.ts'
import { ProcessRuntime } from '../../../daemon/runtime/process/runtime.ts'
import { cliFor } from '../../support/cli.ts'
import { ending } from '../../support/endings.ts'
import { workplace } from '../../support/runs.ts'

/** An agent's folder, a command line, and a folder of the person who types. */
async function place(variables: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-files-'))
  ending(() => rmSync(folder, { recursive: true, force: true }))
  const it = await workplace({ runtime: new ProcessRuntime({ folder: join(folder, 'crews') }) })
  await it.app.runtime.start(it.crewId)
  const { crewId, agent } = placeOf(it.app, it.agentId)!
  const { output } = it.runtime.places(crewId, agent)
  const own = join(folder, 'own')
  mkdirSync(own)
  return { it, output, own, cli: await cliFor(it, 'OWNER', variables) }
}

describe('muster files save', () => {
  it('saves a file of this machine, or what is piped', async () => {
    const { output, own, cli } = await place()
    writeFileSync(join(own, 'a.txt'), 'hello')
    expect(await cli.run('files', 'save', 'ada', 'x/a.txt', join(own, 'a.txt'), '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"status": "saved"'),
    })
    expect(readFileSync(join(output, 'x/a.txt'), 'utf8')).toBe('hello')
    expect(await cli.pipe('piped', 'files', 'save', 'ada', 'b.txt')).toMatchObject({ code: 0 })
    expect(readFileSync(join(output, 'b.txt'), 'utf8')).toBe('piped')
    expect(await cli.pipe('piped', 'files', 'save', 'ada', 'b.txt', '--error-unchanged')).not.toMatchObject({ code: 0 })
    const refused = await cli.pipe('other', 'files', 'save', 'ada', 'b.txt', '--new')
    expect(refused).toMatchObject({ stderr: expect.stringContaining('b.txt') })
    expect(refused.code).not.toBe(0)
  })
})

describe('muster files push and pull', () => {
  it('copies folders both ways, follows no link, and says what was so already', async () => {
    const { output, own, cli } = await place()
    mkdirSync(join(own, 'site/css'), { recursive: true })
    writeFileSync(join(own, 'site/index.html'), '<p>')
    writeFileSync(join(own, 'site/css/a.css'), 'p{}')
    symlinkSync('/etc/passwd', join(own, 'site/passwd'))
    const push = () => cli.run('files', 'push', 'ada', join(own, 'site'), '--to', 'www/', '--json')
    expect(JSON.parse((await push()).stdout)).toEqual({ saved: 2, unchanged: 0, skipped: 1 })
    expect(JSON.parse((await push()).stdout)).toEqual({ saved: 0, unchanged: 2, skipped: 1 })
    expect(readFileSync(join(output, 'www/css/a.css'), 'utf8')).toBe('p{}')
    symlinkSync('/etc/passwd', join(output, 'www/secret'))
    const to = join(own, 'copy')
    const pull = (...more: string[]) => cli.run('files', 'pull', 'ada', 'www', '--to', to, '--json', ...more)
    expect(JSON.parse((await pull()).stdout)).toEqual({ saved: 2, unchanged: 0, skipped: 1 })
    expect(readdirSync(to).sort()).toEqual(['css', 'index.html'])
    writeFileSync(join(to, 'index.html'), 'mine')
    const refused = await pull()
    expect(refused.stderr).toContain('differs')
    expect(readFileSync(join(to, 'index.html'), 'utf8')).toBe('mine')
    expect(JSON.parse((await pull('--force')).stdout)).toEqual({ saved: 1, unchanged: 1, skipped: 1 })
  })

  it('pulls into a folder that is named after the agent, also when its id is given', async () => {
    const home = mkdtempSync(join(tmpdir(), 'muster-pull-'))
    ending(() => rmSync(home, { recursive: true, force: true }))
    const { it, output, cli } = await place({ HOME: home })
    writeFileSync(join(output, 'a.txt'), 'x')
    expect(await cli.run('files', 'pull', it.agentId)).toMatchObject({ code: 0 })
    expect(readFileSync(join(home, 'ada/a.txt'), 'utf8')).toBe('x')
  })

  it('writes through no link of this machine', async () => {
    const { output, own, cli } = await place()
    mkdirSync(join(output, 'sub'))
    writeFileSync(join(output, 'sub/a.txt'), 'x')
    mkdirSync(join(own, 'elsewhere'))
    mkdirSync(join(own, 'to'))
    symlinkSync(join(own, 'elsewhere'), join(own, 'to/sub'))
    const { code, stderr } = await cli.run('files', 'pull', 'ada', '--to', join(own, 'to'), '--force')
    expect(code).not.toBe(0)
    expect(stderr).toContain('is in the way')
    expect(readdirSync(join(own, 'elsewhere'))).toEqual([])
  })
})

describe('muster files edit', () => {
  const editor = (script: string) => ({ EDITOR: `sh -c '${script}' sh` })

  it('saves what the editor leaves', async () => {
    const { output, cli } = await place(editor('echo changed >>"$1"'))
    writeFileSync(join(output, 'a.txt'), 'first\n')
    expect(await cli.terminal(['files', 'edit', 'ada', 'a.txt']).ended).toBe(0)
    expect(readFileSync(join(output, 'a.txt'), 'utf8')).toBe('first\nchanged\n')
  })

  it('keeps the draft when the agent has changed the file meanwhile', async () => {
    const { output, own, cli } = await place()
    const file = join(output, 'a.txt')
    writeFileSync(file, 'first\n')
    cli.env['EDITOR'] = `sh -c 'echo mine >"$1"; echo theirs >${file}; cp "$1" ${own}/draft' sh`
    const shown = cli.terminal(['files', 'edit', 'ada', 'a.txt'], { cols: 300 })
    expect(await shown.ended).not.toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('theirs\n')
    const draft = /kept in (\S+?)\.[\s\u001b]/.exec(shown.text())![1]!
    expect(readFileSync(draft, 'utf8')).toBe('mine\n')
    rmSync(draft)
  })

  it('saves nothing without a terminal, nor when the editor fails', async () => {
    const { output, cli } = await place(editor('exit 3'))
    writeFileSync(join(output, 'a.txt'), 'first\n')
    expect((await cli.run('files', 'edit', 'ada', 'a.txt')).stderr).toContain('needs a terminal')
    expect(await cli.terminal(['files', 'edit', 'ada', 'a.txt']).ended).not.toBe(0)
    expect(readFileSync(join(output, 'a.txt'), 'utf8')).toBe('first\n')
  })
})

describe('muster agents git-log', () => {
  it('shows commits, and with --patch what they changed', async () => {
    const { it, output, cli } = await place()
    const { crewId, agent } = placeOf(it.app, it.agentId)!
    const script =
      'cd "$1" && git init -q . && git config user.name Ada && git config user.email a@b && echo one >a && ' +
      'git add a && git commit -qm "First one"'
    await it.runtime.command(crewId, agent, { argv: ['sh', '-c', script, 'sh', output], seconds: 20 })
    expect((await cli.run('agents', 'git-log', 'ada', '-o', 'table')).stdout).toMatch(/Ada +First one/)
    expect((await cli.run('agents', 'git-log', 'ada', '--patch')).stdout).toContain('+one')
    expect(JSON.parse((await cli.run('agents', 'git-log', 'ada', '--json')).stdout)).toMatchObject([
      { message: 'First one', author: 'Ada' },
    ])
    writeFileSync(join(it.runtime.places(crewId, agent).home, '.note'), 'x')
    expect((await cli.run('agents', 'container-files', 'ada')).stdout).toContain('.note')
  })
})
