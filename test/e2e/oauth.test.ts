import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createClient } from '#client'
import { closing } from '#test'
import { cli } from '../support/cli.ts'
import { deferred } from '../support/deferred.ts'
import { startMusterd } from '../support/musterd.ts'
import { oauthServers } from '../support/oauth-server.ts'

vi.setConfig({ testTimeout: 120_000 })

it('a daemon that is killed while it exchanges a code has half of nothing, and signs in anew', async () => {
  const servers = await oauthServers()
  const { env, home } = cli({
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_LOG_LEVEL: 'error',
    SVC_INTEGRATION_PRIVATE_HOSTS: servers.hosts.join(),
  })
  const dir = join(home, 'data')
  env['SVC_DATA_DIR'] = dir
  const first = await startMusterd(env)
  closing({ close: () => first.kill() })
  const server = `unix://${dir}/musterd.sock`
  const owner = await createClient({ server }).bootstrap.create({
    body: { full_name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' },
  })
  const client = createClient({ server, token: owner.cli_token, workspace: owner.workspace_id })
  const redirect_uri = 'http://127.0.0.1:8765/callback'
  const begin = async () => {
    const begun = await client.oauth.autoConnect({ body: { mcp_url: servers.resource, redirect_uri } })
    const query = (await servers.visit(begun.auth_url)).searchParams
    return { credential_id: begun.credential_id!, code: query.get('code')!, state: query.get('state')! }
  }
  const brought = await begin()

  const asked = deferred()
  servers.instead.set('/token', () => asked.resolve())
  const exchanged = client.oauth.exchange({ body: brought }).catch((error: Error) => error)
  await asked.promise
  await first.kill()
  expect(await exchanged).toBeInstanceOf(Error)
  servers.instead.delete('/token')

  const second = await startMusterd(env)
  closing({ close: () => second.kill() })
  const credentialId = brought.credential_id
  expect(await client.credentials.show({ credentialId })).toMatchObject({ status: 'PENDING', last_error: null })
  await expect(client.oauth.exchange({ body: brought })).rejects.toMatchObject({
    problem: { code: 'oauth_state_unknown' },
  })
  const next = await begin()
  expect(next.credential_id).toBe(credentialId)
  expect(await client.oauth.exchange({ body: next })).toEqual({ status: 'ok', credential_id: credentialId })
  expect(await client.credentials.show({ credentialId })).toMatchObject({ status: 'ACTIVE' })
})
