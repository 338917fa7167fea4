import { expect, it } from 'vitest'
import { askPlace } from '../../support/asks.ts'
import { calls, gets, init, says } from '../../support/claude-lines.ts'
import { cliFor } from '../../support/cli.ts'

it('muster ask tells the question, and how it is answered, and leaves the run waiting', async () => {
  const place = await askPlace()
  const muster = await cliFor(place)
  const asking = muster.run('ask', 'ada', 'Choose a database')
  const program = await place.runtime.program()
  place.runtime.print(program, init, says('I look.'), calls('t1', 'Bash'), gets('t1', 'ok'))
  const { body } = await place.ask({ runId: program.spec.runId, body: { question: 'Postgres or SQLite?' } })
  const { inbox_item_id: item } = body as { inbox_item_id: string }
  const { code, stdout, stderr } = await asking
  expect({ code, stdout }).toEqual({ code: 5, stdout: 'I look.\n\nPostgres or SQLite?\n' })
  expect(stderr).toBe(`The agent waits for an answer.\nNext: muster inbox act ${item} --answer TEXT\n`)
  const shown = await muster.run('runs', 'show', program.spec.runId)
  expect(shown.stdout).toContain(item)
  const chat = (await place.call('OWNER', 'GET', `/agents/${place.agentId}/chats`)).body[0].id
  const refused = await muster.run('ask', 'ada', 'More', '--chat', chat)
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('waits for an answer') })
  expect(refused.stderr).toContain(`Next: muster inbox act ${item} --answer TEXT\n`)
  expect((await place.call('OWNER', 'GET', `/inbox/${item}`)).body.state).toBe('unread')
})
