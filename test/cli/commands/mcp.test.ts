import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { assistant, used } from '../../support/assistant.ts'
import { cliFor } from '../../support/cli.ts'

const muster = new URL('../../../bin/muster.js', import.meta.url).pathname

/** An assistant that starts the built command line. */
const started = (env: Record<string, string>) =>
  assistant(
    new StdioClientTransport({ command: process.execPath, args: [muster, 'mcp', 'serve'], env, stderr: 'pipe' }),
  )

describe('muster mcp serve', () => {
  it('speaks for the server over standard streams', async () => {
    const d = await daemon()
    await d.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
    const { env } = await cliFor(d, 'OWNER')
    const client = await started(env)
    expect(client.getServerVersion()).toMatchObject({ name: 'muster' })
    expect((await client.listTools()).tools.length).toBeGreaterThan(10)
    const [one, other] = await Promise.all([used(client, 'crews_list'), used(client, 'journal_list', { limit: 1 })])
    expect(JSON.parse(one.data)[0].slug).toBe('web')
    expect(JSON.parse(other.data).entries).toHaveLength(1)
    expect((await used(client, 'runs_show', { runId: 'none' })).isError).toBe(true)
  })

  it('says what is wrong when the server refuses or is not there', async () => {
    const { env } = await cliFor(await daemon(), 'OWNER')
    await expect(started({ ...env, SVC_TOKEN: 'muster_wrong' })).rejects.toThrow(/token/i)
    await expect(started({ ...env, SVC_SERVER: 'http://127.0.0.1:1' })).rejects.toThrow(/127\.0\.0\.1:1/)
  })
})
