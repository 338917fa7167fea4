import { describe, expect, it } from 'vitest'
import { wholeAnswer } from '../../../../daemon/features/integrations/sessions/whole-answer.ts'

const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'
const failure = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}'

describe('the first piece of a stream of events', () => {
  it.each([
    ['one event', `event: message\ndata: ${answer}\n\n`, answer],
    ['one event without a name', `data: ${answer}\n\n`, answer],
    ['a failure', `data:${failure}\n\n`, failure],
    ['an event with an id, after one that only has an id', `id: a\ndata: \n\nid: b\ndata: ${answer}\n\n`, answer],
    ['an event after a comment', `: hello\n\nretry: 5\ndata: ${answer}\n\n`, answer],
    ['other ends of lines', `event: message\r\ndata: ${answer}\r\n\r\n`, answer],
    [
      'data on two lines',
      'data: {"jsonrpc":"2.0","id":1,\ndata: "result":{}}\n\n',
      '{"jsonrpc":"2.0","id":1,\n"result":{}}',
    ],
  ])('is the answer where it is %s', (_, piece, expected) => {
    expect(wholeAnswer(piece)).toBe(expected)
  })

  it.each([
    ['nothing', ''],
    ['a comment', ': waiting\n\n'],
    ['an event that is not over', `data: ${answer}\n`],
    ['a notification', 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}\n\n'],
    ['a request of the server', 'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'],
    ['a notification and the answer', `data: {"jsonrpc":"2.0","method":"notifications/x"}\n\ndata: ${answer}\n\n`],
    ['an event of another name', `event: other\ndata: ${answer}\n\n`],
    ['what is no JSON', 'data: <html>\n\n'],
    ['what is no message', 'data: 5\n\n'],
    ['null', 'data: null\n\n'],
    ['a list', `data: [${answer}]\n\n`],
  ])('is not where it is %s', (_, piece) => {
    expect(wholeAnswer(piece)).toBeNull()
  })
})
