import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStreams } from '../../daemon/features/integrations/gateway/streams.ts'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import type { ServerProcess, ServerProgram } from '../../daemon/runtime/types.ts'
import { newId, quiet } from '../daemon/runtime/runtime-contract.ts'
import { ending } from '../support/endings.ts'
import { agentProcesses, engineMissing } from '../support/engine.ts'
import { type EngineCrew, type EngineCrews, engineCrews } from '../support/engine-crews.ts'
import { leaveOut } from '../support/leave-out.ts'
import { buildServerImage } from '../support/server-image.ts'

leaveOut(engineMissing)

// A server over standard streams in a crew's container that does what servers should not, and agents who attack it.

const secret = `it's "secret"\nof $HOME`

describe.skipIf(engineMissing)('a server over standard streams in the container of a crew', () => {
  let crews: EngineCrews
  let crew: EngineCrew
  let image: string

  beforeAll(async () => {
    image = await buildServerImage('attack')
    crews = await engineCrews('muster-servers')
    crew = await crews.open({ image })
    const network = { ...crew.spec.network, allowedDomains: ['allowed.invalid'] }
    await crews.runtime.configureSidecar(crew.spec.crewId, { network, agents: {}, upstreams: {} })
  })
  afterAll(() => crews?.close())

  /** A server, and what its tools say. It ends with the test. */
  async function started(more: Partial<ServerProgram> = {}, crewId = crew.spec.crewId) {
    const program = { serverId: newId('s'), argv: ['mcp-hostile'], env: { TOKEN: secret }, ...more }
    const server = await crews.runtime.startServer(crewId, program)
    ending(() => server.end())
    const { client } = await spokenWith(server)
    const said = async (name: string, given: object = {}) => {
      const { content } = await client.callTool({ name, arguments: { ...given } })
      return (content as { text: string }[])[0]!.text
    }
    return { ...program, server, said }
  }

  const spokenWith = (process: ServerProcess): Promise<{ client: Client }> =>
    openStreams({ name: 'hostile', process, timeoutMs: 60_000, maxBytes: 1024 * 1024, clean: (text) => text })

  const as = (user: string, ...argv: string[]) => run(crew.crew, { user, argv })
  const folderOf = ({ serverId }: { serverId: string }) => `/crew/servers/${serverId}`
  const ownerOf = async (it: { serverId: string }) =>
    Number((await as('0:0', 'stat', '-c', '%u', folderOf(it))).stdout.trim())
  const processesOf = (uid: number) => agentProcesses(crew.crew, uid)

  it('has no variables but its own, its folder and what leads it through the sidecar', async () => {
    const it = await started({ env: { TOKEN: secret, MODE: '' } })
    const seen = JSON.parse(await it.said('env'))
    const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']
    const around = ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR', 'TZ']
    expect(Object.keys(seen).sort()).toEqual([...around, ...proxies, 'MODE', 'TOKEN'].sort())
    const home = folderOf(it)
    expect(seen).toMatchObject({ TOKEN: secret, MODE: '', HOME: home, PWD: home, TMPDIR: `${home}/.tmp` })
  })

  it('shows its variables to nobody: not in command lines, not to agents, and not to other servers', async () => {
    const it = await started({ env: { TOKEN: 'tok-4711-secret' } })
    const other = await started()
    const pid = await it.said('pid')
    expect(await processesOf(await ownerOf(it))).not.toEqual([])
    for (const user of ['20001:1001', `${await ownerOf(other)}:${await ownerOf(other)}`, '30000:1001']) {
      const look = `cat /proc/*/cmdline | tr '\\0' ' '; cat /proc/${pid}/environ`
      const { stdout, stderr } = await as(user, 'sh', '-c', `${look}; ls -la ${folderOf(it)}; kill -9 ${pid}`)
      expect(stdout).toContain('mcp-hostile')
      expect(stdout).not.toContain('tok-4711-secret')
      expect(stderr.match(/Permission denied|not permitted/g)).toHaveLength(3)
    }
    expect(await it.said('pid')).toBe(pid)
  })

  it('sees nothing of agents and of what they share', async () => {
    const it = await started()
    const uid = await ownerOf(it)
    const look = 'ls /crew/agents/ada /output/ada /workspace/ada /crew/shared /workspace/shared /secrets/ada /spool/ada'
    const { stdout, stderr } = await as(`${uid}:${uid}`, 'sh', '-c', `${look}; touch /crew/servers/mine /crew/mine`)
    expect(stdout).toBe('')
    expect(stderr.match(/Permission denied|Read-only/g)).toHaveLength(9)
  })

  it('keeps its user and its folder, and leaves no other file to the next one', async () => {
    const first = await started()
    const uid = await ownerOf(first)
    expect(await first.said('write', { name: 'cache' })).toBe('.tmp cache')
    await first.server.end()
    const again = await started({ serverId: first.serverId })
    expect([await ownerOf(again), await again.said('write', { name: 'more' })]).toEqual([uid, '.tmp cache more'])
  })

  it.each(['fork', 'leave', 'stay'])('ends with all that it started (%s)', async (how) => {
    const it = await started()
    await it.said(how)
    await it.server.end()
    expect(await processesOf(await ownerOf(it))).toEqual([])
  })

  it('that forks without end is ended with all of that', async () => {
    const it = await started()
    await it.said('bomb')
    await it.server.end()
    expect(await processesOf(await ownerOf(it))).toEqual([])
  })

  it('that dies tells the end of what it said, and leaves nothing', async () => {
    const it = await started()
    await it.said('leave')
    await expect(it.said('die')).rejects.toThrow()
    const { code, stderr } = await it.server.ended
    expect([code, stderr]).toEqual([3, `I die of ${secret}\n`])
    expect(await processesOf(await ownerOf(it))).toEqual([])
  })

  it('that floods its errors goes on to answer', async () => {
    expect(await (await started()).said('flood')).toBe('flooded')
  })

  it.each([
    [['sh', '-c', 'echo npm error 404 >&2; exit 7'], 'The server hostile ended at once: npm error 404'],
    [['no-such-program'], /^The server hostile ended at once: .*no-such-program: not found$/],
  ])('that ends at once is reported (%s)', async (argv, why) => {
    const server = await crews.runtime.startServer(crew.spec.crewId, { serverId: newId('s'), argv, env: {} })
    await expect(spokenWith(server)).rejects.toThrow(why)
  })

  it('is held to the network policy of its crew, and the hosts that it may not reach are known', async () => {
    const it = await started()
    expect(await it.said('fetch', { host: 'other.invalid' })).toBe('403')
    expect(await it.said('fetch', { host: 'allowed.invalid' })).toBe('502')
    await expect.poll(() => it.server.deniedHosts()).toEqual(['other.invalid'])
    const direct = await as(`${await ownerOf(it)}:0`, 'curl', '-sS', '--noproxy', '*', 'http://1.1.1.1/')
    expect(direct.code).not.toBe(0)
  })

  it('that works for a restricted agent is another program, which reaches the allowed domains alone', async () => {
    const open = await crews.open({
      image,
      network: { mode: 'free', allowedDomains: [], allowPrivateEndpoints: false },
    })
    await crews.runtime.configureSidecar(open.spec.crewId, { network: open.spec.network, agents: {}, upstreams: {} })
    const reached = async (more: Partial<ServerProgram>) => {
      const it = await started({ serverId: 'same', ...more }, open.spec.crewId)
      return it.said('fetch', { host: 'other.invalid' })
    }
    expect([await reached({}), await reached({ restricted: true })]).toEqual(['502', '403'])
  })

  it('has no key to the models, tools and servers of agents', async () => {
    const uid = await ownerOf(await started())
    for (const path of ['v1/messages', 'mcp/everything'])
      expect((await as(`${uid}:${uid}`, 'curl', '-s', '-d', '{}', `http://127.0.0.1:9119/${path}`)).stdout).toMatch(
        /does not know this key/,
      )
  })

  it('that is only tried leaves nothing, and disturbs nobody who uses it', async () => {
    const it = await started()
    const pid = await it.said('pid')
    const tried = await started({ serverId: it.serverId, trial: true })
    expect(JSON.parse(await tried.said('env')).HOME).toBe(`/crew/servers/try-${it.serverId}`)
    await tried.server.end()
    expect((await as('0:0', 'ls', '/crew/servers')).stdout).not.toContain('try-')
    expect(await it.said('pid')).toBe(pid)
  })

  it('that is started anew with the same folder ends before', async () => {
    const it = await started()
    const pid = await it.said('pid')
    const next = await started({ serverId: it.serverId })
    expect(await next.said('pid')).not.toBe(pid)
    expect((await as('0:0', 'test', '-e', `/proc/${pid}`)).code).toBe(1)
  })

  it('ends with the next daemon where this one was killed, and its folder goes when it is deleted', async () => {
    const it = await started()
    await it.said('stay')
    const uid = await ownerOf(it)
    const { installation, prefix } = crews
    const next = new DockerRuntime({
      prefix,
      installation,
      crewImage: 'muster/crew:local',
      sidecarImage: 'muster/sidecar:local',
    })
    ending(() => next.close())
    await next.ensure(crew.spec, quiet)
    await next.clearServers(crew.spec.crewId, [it.serverId])
    expect(await processesOf(uid)).toEqual([])
    expect(await ownerOf(it)).toBe(uid)
    await next.clearServers(crew.spec.crewId, [])
    expect((await as('0:0', 'ls', '/crew/servers')).stdout).not.toContain(it.serverId)
  })

  it('ends with its crew', async () => {
    const it = await started()
    await crews.runtime.stop(crew.spec.crewId)
    expect(await it.server.ended).toMatchObject({ stderr: '' })
    await crews.runtime.ensure(crew.spec, quiet)
  })
})
