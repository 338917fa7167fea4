import { expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

it('muster chat and muster chats offer the agents at a terminal, and name what is missing elsewhere', async () => {
  const place = await workplace()
  const bob = await place.mate('bob')
  const chat = (await place.call('OWNER', 'POST', `/agents/${bob}/chats`, { origin: 'CLI' })).body.id
  const muster = await cliFor(place)
  const listed = muster.screen(['chats', '--no-color'])
  await listed.until(/With which agent\?.*ada.*bob/s)
  listed.type('\u001b[B\r')
  expect(await listed.ended).toBe(0)
  expect(listed.text()).toContain(chat.slice(-8))
  expect(await muster.run('chats')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Error: AGENT is missing. Usage: muster chats list AGENT\nNext: muster agents list\n',
  })
  expect(await muster.run('chat')).toMatchObject({ code: 2, stderr: expect.stringContaining('muster ask AGENT "..."') })
  const talk = muster.terminal(['chat'], { env: { NO_COLOR: '1' } })
  await talk.until(/With which agent\?.*ada.*bob/s)
  talk.type('\r')
  await talk.until(/Chat with Agent ada/)
  talk.type('\u0004')
  expect(await talk.ended).toBe(0)
})
