import { expect, it } from 'vitest'
import { cli } from '../../support/cli.ts'
import { fakeServer, json } from '../../support/fake-server.ts'

it('sends a message again, under the same key, when the connection broke', async () => {
  const keys: string[] = []
  const server = await fakeServer(({ body }, reply) => {
    keys.push((JSON.parse(body) as { client_id: string }).client_id)
    if (keys.length === 1) return void reply.destroy()
    json(reply, { message_id: 'm', run_id: 'r' })
  })
  expect(await cli({ SVC_SERVER: server.url }).run('chats', 'send', 'mine', 'Hello')).toMatchObject({ code: 0 })
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]])
})
