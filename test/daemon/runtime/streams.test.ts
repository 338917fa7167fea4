import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, vi } from 'vitest'
import { ending } from '../../support/endings.ts'
import { everythingArgs } from '../../support/everything-server.ts'
import { boKey, gatewayScene, withSidecar } from '../../support/gateway.ts'

const fixture = new URL('../../fixtures/stdio-server.mjs', import.meta.url).pathname

/** Ada's server over standard streams, with a sidecar before her daemon. */
async function streams(args = [fixture], more: object = {}) {
  const scene = await gatewayScene()
  const { id } = await scene.program('local', args, more)
  const sidecar = await withSidecar(scene)
  const said = async (tool: string, headers = {}) => {
    const { result, error } = await sidecar.callTool('local', tool, {}, headers)
    if (error) throw new Error(error.message)
    return (result.content as { text: string }[])[0]!.text
  }
  return { ...scene, ...sidecar, serverId: id as string, said }
}

const isAlive = (pid: string): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const gone = (pid: string) => expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)

describe('an MCP server over standard streams', () => {
  it('is started for a list or a call, and its calls are on record', async () => {
    const { rpc, callTool, calls, runId } = await streams(everythingArgs)
    expect((await rpc('local', 'tools/list')).result.tools.map(({ name }) => name)).toContain('echo')
    const { result } = await callTool('local', 'echo', { message: 'plum' }, { 'x-svc-run-id': runId })
    expect(result.content).toEqual([{ type: 'text', text: expect.stringContaining('plum') }])
    expect(calls()).toMatchObject([{ server: 'local', tool: 'echo', outcome: 'ok' }])
  })

  it('is one program for the agents of a crew', async () => {
    const scene = await streams()
    const first = await scene.said('pid')
    const chat = await scene.it.openChat(scene.bo)
    await scene.it.send(chat, 'Work')
    expect(await scene.said('pid', { authorization: `Bearer ${boKey}` })).toBe(first)
  })

  it('is not asked for a tool that is switched off', async () => {
    const { rpc, callTool, change, serverId } = await streams()
    await rpc('local', 'tools/list')
    await change(serverId, 'pid', { enabled: 0 })
    expect((await callTool('local', 'pid')).error.message).toBe('this tool is switched off')
  })

  it('has no variables but its own, and their values are cleaned from its answers', async () => {
    vi.stubEnv('OTHERS_SECRET', 'of-the-daemon')
    ending(() => vi.unstubAllEnvs())
    const { said } = await streams([fixture], { env_json: '{"TOKEN":"s3cret-value-42","MODE":"fast"}' })
    const seen = JSON.parse(await said('env'))
    expect(Object.keys(seen).sort()).toEqual(['HOME', 'MODE', 'PATH', 'PWD', 'TOKEN'])
    expect(seen).toMatchObject({ TOKEN: '[redacted]', MODE: 'fast' })
  })

  it('is given the values of the credentials that its variables name, which no answer shows', async () => {
    const { said, it: daemon } = await streams([fixture], { env_json: JSON.stringify({ TOKEN: `$\{GH_TOKEN}` }) })
    const stored = async (name: string, more: object) =>
      (await daemon.call('OWNER', 'POST', '/credentials', { name, ...more })).body.id as string
    const refused = 'its crew has no working credential GH_TOKEN that programs are given'
    await expect(said('digest')).rejects.toThrow(refused)
    const guarded = await stored('GH_TOKEN', { type: 'SECRET', value: 'a-guarded-value', security_level: 3 })
    await expect(said('digest')).rejects.toThrow(refused)
    await daemon.call('OWNER', 'DELETE', `/credentials/${guarded}`)
    const model = await stored('GH_TOKEN', { type: 'API_KEY', provider: 'OPENAI', value: 'sk-of-a-model' })
    await expect(said('digest')).rejects.toThrow(refused)
    await daemon.call('OWNER', 'DELETE', `/credentials/${model}`)
    const value = 'ghp-the-value-42'
    const id = await stored('GH_TOKEN', { type: 'CLI_TOKEN', provider: 'GITHUB', value })
    const digest = (of: string) => createHash('sha256').update(of).digest('hex')
    expect(await said('digest')).toBe(digest(value))
    expect(JSON.parse(await said('env'))).toMatchObject({ TOKEN: '[redacted]' })
    await expect(said('die')).rejects.toThrow('I die of [redacted]')
    expect((await daemon.call('OWNER', 'GET', `/credentials/${id}/audit`)).text).toContain(daemon.agentId)
    expect(JSON.stringify(daemon.entries())).not.toContain(value)
    await daemon.call('OWNER', 'PATCH', `/credentials/${id}`, { value: 'ghp-another-one' })
    expect(await said('digest')).toBe(digest('ghp-another-one'))
  })

  it('that dies during a call says why without its secrets, and is started again by the next call', async () => {
    const { said, calls } = await streams([fixture], { env_json: '{"TOKEN":"s3cret-value-42"}' })
    const first = await said('pid')
    await expect(said('die')).rejects.toThrow('The server local ended: I die of [redacted]')
    expect(await said('pid')).not.toBe(first)
    expect(calls()[1]).toMatchObject({ outcome: 'error', reason: 'The server local ended: I die of [redacted]' })
  })

  it('that dies between calls is started again by the next one', async () => {
    const { said } = await streams()
    const first = await said('pid')
    process.kill(Number(first), 'SIGKILL')
    await gone(first)
    // The daemon may not have heard of it yet: then this call is told so.
    await said('pid').catch((error: Error) => expect(error.message).toContain('The server local ended'))
    expect(await said('pid')).not.toBe(first)
  })

  it('that ends at once is reported with what it said', async () => {
    const { rpc } = await streams(['-e', 'console.error("npm error 404: no such package"); process.exit(1)'])
    const { error } = await rpc('local', 'tools/list')
    expect(error.message).toBe('The server local ended at once: npm error 404: no such package')
  })

  it('that ends at once is left alone for a while, longer each time, unless it is changed', async () => {
    const { rpc, it: daemon, serverId } = await streams(['-e', 'console.error("no"); process.exit(1)'])
    let now = 0
    daemon.app.steady = () => now
    const said = async () => (await rpc('local', 'tools/list')).error.message
    const failed = 'The server local ended at once: no'
    expect(await said()).toBe(failed)
    expect(await said()).toBe(`${failed}. It is started again in 1 s at the earliest`)
    now = 1000
    expect(await said()).toBe(failed)
    now = 1500
    expect(await said()).toBe(`${failed}. It is started again in 2 s at the earliest`)
    await daemon.call('OWNER', 'PATCH', `/integrations/${serverId}`, { env_json: '{"A":"b"}' })
    expect(await said()).toBe(failed)
  })

  it.each([
    ['changed', 'PATCH', { env_json: '{"TOKEN":"another-value-17"}' }],
    ['switched off', 'PATCH', { enabled: false }],
    ['deleted', 'DELETE', undefined],
  ])('ends at once when it is %s, also during a call', async (_, method, body) => {
    const { said, it: daemon, serverId } = await streams([fixture], { env_json: '{"TOKEN":"s3cret-value-42"}' })
    const pid = await said('pid')
    const { HOME } = JSON.parse(await said('env'))
    const hangs = expect(said('hang')).rejects.toThrow('The server local was changed or deleted meanwhile')
    await expect.poll(() => existsSync(`${HOME}/hangs`)).toBe(true)
    const called = () => daemon.call('OWNER', method, `/integrations/${serverId}`, body)
    expect((await called()).status).toBe(200)
    await gone(pid)
    await hangs
  })

  it('leaves no folder once it is deleted, nor when it is only tried', async () => {
    const { said, it: daemon, local, serverId } = await streams()
    const { HOME } = JSON.parse(await said('env'))
    await local.clearServers(daemon.crewId, [serverId])
    expect(existsSync(HOME)).toBe(true)
    await daemon.call('OWNER', 'DELETE', `/integrations/${serverId}`)
    const isLeft = async () => {
      await local.clearServers(daemon.crewId, [])
      return existsSync(HOME)
    }
    await expect.poll(isLeft).toBe(false)
    const program = { serverId, argv: ['pwd'], env: {}, trial: true as const }
    const { output, ended } = await local.startServer(daemon.crewId, program)
    const [folder] = await once(output, 'data')
    await ended
    expect(String(folder)).toContain(`try-${serverId}`)
    expect(existsSync(String(folder).trim())).toBe(false)
  })

  it('goes on where nothing of what it runs is changed', async () => {
    const { said, it: daemon, serverId } = await streams()
    const pid = await said('pid')
    await daemon.call('OWNER', 'PATCH', `/integrations/${serverId}`, { display_name: 'Other' })
    expect(await said('pid')).toBe(pid)
  })

  it('whose program does not exist is reported', async () => {
    const { rpc } = await streams([], { command: 'no-such-program' })
    expect((await rpc('local', 'tools/list')).error.message).toMatch(/^The server local ended at once: .*not found/)
  })

  it('that floods its errors goes on to answer', async () => {
    const { said } = await streams()
    expect(await said('flood')).toBe('flooded')
  })

  it.each([
    ['huge', 'answered more than 4194304 bytes'],
    ['endless', 'says more than it may'],
  ])('that gives an answer without measure (%s) is ended', async (tool, why) => {
    const { said } = await streams()
    const pid = await said('pid')
    await expect(said(tool)).rejects.toThrow(`The server local ${why}`)
    await gone(pid)
  })

  it('that does not answer is given up in time', async () => {
    const { said } = await streams([fixture], { config_json: '{"timeout_seconds":1}' })
    await expect(said('hang')).rejects.toThrow('local did not answer in time')
  })

  it('is ended when nobody has called it for ten minutes', async () => {
    const { said } = await streams()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    ending(() => vi.useRealTimers())
    const first = await said('pid')
    vi.advanceTimersByTime(10 * 60_000 - 1)
    expect(await said('pid')).toBe(first)
    vi.advanceTimersByTime(10 * 60_000)
    vi.useRealTimers()
    await gone(first)
  })

  it.each(['the crew stops', 'the daemon stops', 'it dies'])('ends with its children when %s', async (when) => {
    const { said, it: daemon, local } = await streams()
    const [server, child] = [await said('pid'), await said('fork')]
    expect(isAlive(child)).toBe(true)
    if (when === 'the crew stops') await local.stop(daemon.crewId)
    else if (when === 'the daemon stops') await local.close()
    else process.kill(Number(server), 'SIGKILL')
    await gone(server)
    await gone(child)
  })

  it('does not hold up the stop of its crew by a process that left its group', async () => {
    const { said, it: daemon, local } = await streams()
    const [server, left] = [await said('pid'), await said('leave')]
    ending(() => process.kill(Number(left), 'SIGKILL'))
    await local.stop(daemon.crewId)
    expect(isAlive(server)).toBe(false)
  })

  it('ends when the daemon is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-servers-'))
    ending(() => rmSync(folder, { recursive: true }))
    const outfile = join(folder, 'daemon.mjs')
    const entry = new URL('../../support/dies-with-server.ts', import.meta.url).pathname
    await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile })
    const daemon = spawn(process.execPath, [outfile, join(folder, 'server')], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said] = await once(daemon.stdout, 'data')
    const server = String(said).trim()
    expect(isAlive(server)).toBe(true)
    daemon.kill('SIGKILL')
    await gone(server)
  })
})
