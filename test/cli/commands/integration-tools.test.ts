import { describe, expect, it } from 'vitest'
import { changingServer, tool } from '../../support/changing-server.ts'
import { cliFor } from '../../support/cli.ts'
import { integrationScene } from '../../support/integrations.ts'

/** A server of the workspace and its copy in a crew, with a command line of an ADMIN. */
async function scene() {
  const server = await changingServer(tool('find'), tool('open'))
  const { it, server: add } = await integrationScene({ config: { integrationHosts: [server.host] } })
  await add('search', { endpoint: server.url })
  const muster = await cliFor(it, 'ADMIN')
  const tools = (...args: string[]) => muster.run('integrations', 'tools', 'search', ...args)
  const states = async () =>
    Object.fromEntries(
      (JSON.parse((await tools('--json')).stdout) as { tool_name: string; state: string }[]).map((row) => [
        row.tool_name,
        row.state,
      ]),
    )
  return { it, add, server, muster, tools, states }
}

describe('muster integrations tools', () => {
  it('reads, lists, switches and approves', async () => {
    const { server, tools, states } = await scene()
    expect((await tools()).stdout).toBe('')
    const read = await tools('--refresh')
    expect(read).toMatchObject({ code: 0, stderr: expect.stringContaining('2 new, 0 changed, 0 gone, 0 held.') })
    expect(read.stdout).toMatch(/^find\ttrue\tallowed\t.*Does find/m)
    expect((await tools('--disable', 'open')).code).toBe(0)
    expect(await states()).toEqual({ find: 'allowed', open: 'off' })
    server.pages = [[tool('find', 'Finds \u001b[31mmore'), tool('open')]]
    await tools('--refresh')
    const shown = (await tools('find')).stdout
    expect(shown).toContain('+Finds')
    expect(shown).not.toContain('\u001b')
    expect((await tools('--approve', 'find', '--enable', 'open')).code).toBe(0)
    expect(await states()).toEqual({ find: 'allowed', open: 'allowed' })
    server.pages = [[tool('find', 'Finds less'), tool('open')]]
    await tools('--refresh')
    expect((await tools('--refuse', 'find')).code).toBe(0)
    expect(await states()).toEqual({ find: 'off', open: 'allowed' })
    expect(await tools('--approve', 'open')).toMatchObject({ code: 5, stderr: expect.stringContaining('looked at') })
    expect(await tools('--disable', 'none')).toMatchObject({ code: 3, stderr: expect.stringContaining('"none"') })
    expect((await tools('none')).code).toBe(3)
  })

  it('approves all that is held, but for what is refused', async () => {
    const { server, tools, states } = await scene()
    await tools('--refresh')
    expect(await tools('--approve-all')).toMatchObject({ code: 0, stderr: expect.stringContaining('No tool is held.') })
    server.pages = [[tool('find', 'Finds more'), tool('open', 'Opens more'), tool('close')]]
    await tools('--refresh')
    expect(await states()).toEqual({ close: 'held', find: 'held', open: 'held' })
    const approved = await tools('--approve-all', '--refuse', 'close')
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining('Approved 2 held.') })
    expect(await states()).toEqual({ close: 'off', find: 'allowed', open: 'allowed' })
  })

  it('does so for a crew, and says why a list cannot be read', async () => {
    const { it, add, server, muster } = await scene()
    const crews: { id: string; slug: string }[] = (await it.call('OWNER', 'GET', '/crews')).body
    await add('notes', { endpoint: server.url }, crews.find(({ slug }) => slug === 'web')!.id)
    const tools = (...args: string[]) => muster.run('integrations', 'tools', 'notes', '--crew', 'web', ...args)
    expect(await tools('--refresh', '-o', 'name')).toMatchObject({ code: 0, stdout: 'find\nopen\n' })
    expect((await tools('--disable', 'find')).code).toBe(0)
    server.pages = [[tool('find'), tool('open', 'Opens more')]]
    await tools('--refresh')
    expect((await tools('--approve', 'open')).stdout).toMatch(/^open\ttrue\tallowed\t/m)
    Object.assign(it.app.config, { integrationHosts: [] })
    expect(await tools('--refresh')).toMatchObject({ code: 7, stderr: expect.stringContaining('not allowed here') })
  })

  it('shows switches that the keyboard changes, and stores them when that is confirmed', async () => {
    const { server, muster, tools, states } = await scene()
    await tools('--refresh')
    server.pages = [[tool('find', 'Finds more\u001b]0;evil\u0007'), tool('open')]]
    await tools('--refresh')
    const screen = muster.terminal(['integrations', 'tools', 'search'], { cols: 100, rows: 30, env: { NO_COLOR: '1' } })
    await screen.until(/>\[x\] {2}find {2}held/)
    await screen.until(/\+Finds more/)
    screen.type('a')
    await screen.until(/find {2}approved/)
    screen.type('\u001b[B ')
    await screen.until(/2 changes/)
    screen.type('\r')
    await screen.until(/Save 2 changes\?/)
    expect(await states(), 'nothing is stored yet').toEqual({ find: 'held', open: 'allowed' })
    screen.type('y')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Saved 2 changes.')
    expect(screen.text()).not.toContain('\u001b]0;evil')
    expect(await states()).toEqual({ find: 'allowed', open: 'off' })
  })

  it('leaves the switches as they were', async () => {
    const { muster, tools, states } = await scene()
    await tools('--refresh')
    const screen = muster.terminal(['integrations', 'tools', 'search'], { cols: 60, rows: 10, env: { NO_COLOR: '1' } })
    await screen.until(/arrows/)
    screen.type(' ')
    await screen.until(/1 change/)
    screen.type('qq')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Nothing was changed.')
    expect(await states()).toEqual({ find: 'allowed', open: 'allowed' })
  })
})
