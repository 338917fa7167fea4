import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { closing, daemon } from '#test'
import { DeliveryError, sendMessage } from '../../../daemon/features/channels/sending/service.ts'
import { type MailServer, mailServer } from '../../support/mail-server.ts'

const path = '/notification-channels'
const message = {
  id: 'del_1',
  title: 'T',
  body: 'M',
  links: [],
  priority: 'low',
  webhook: { header: 'X-Svc-Category', name: 'security', body: {} },
} as const
const refusal = (responseCode: number) => Object.assign(new Error('not for ada@example.com'), { responseCode })

/** A daemon that sends its mail there, and what becomes of a message to Ada. */
async function place({ port }: Pick<MailServer, 'port'>) {
  const it = await daemon({
    config: { smtpUrl: `smtp://127.0.0.1:${port}`, mailerFrom: 'Muster <muster@example.com>' },
  })
  const target = { type: 'email', url: null, address: 'ada@example.com', provider: null, secret: null } as const
  const send = (title = 'T', signal?: AbortSignal) =>
    sendMessage(it.app, target, { ...message, title }, signal && { signal }).then(
      () => null,
      (error: unknown) => error as DeliveryError,
    )
  return { ...it, send }
}

/** Where in the exchange a mail server answers with a refusal. */
const steps = {
  greeting: (code: number) => mailServer({ onConnect: (_, done) => done(refusal(code)) }),
  sender: (code: number) => mailServer({ onMailFrom: (_, __, done) => done(refusal(code)) }),
  recipient: (code: number) => mailServer({ refuse: () => code }),
  content: (code: number) =>
    mailServer({
      onData: (stream, _, done) => void stream.resume().on('end', () => done(refusal(code))),
    }),
}

describe('what a mail server answers', () => {
  it.each(Object.keys(steps) as (keyof typeof steps)[])('is tried again after a 4xx to the %s alone', async (step) => {
    for (const [code, temporary] of [
      [421, true],
      [450, true],
      [452, true],
      [550, false],
      [554, false],
    ] as const) {
      const error = await (await place(await steps[step](code))).send()
      expect(error, String(code)).toBeInstanceOf(DeliveryError)
      expect([code, error!.temporary]).toEqual([code, temporary])
      expect(error!.message).toContain(`127.0.0.1 answered ${code}`)
      expect(error!.message).not.toContain('ada@')
    }
  })

  it('may be silence at the greeting or after the mail, which may pass', { timeout: 60_000 }, async () => {
    const mute = [
      await mailServer({ onConnect: () => undefined }),
      await mailServer({ onData: (stream) => void stream.resume() }),
    ]
    const errors = await Promise.all(mute.map(async (server) => (await place(server)).send()))
    expect(errors.map((error) => [error instanceof DeliveryError, error?.temporary])).toEqual([
      [true, true],
      [true, true],
    ])
  })

  it('is waited for no longer than whoever asked waits', async () => {
    const asked = new AbortController()
    const server = await mailServer({ onConnect: () => asked.abort() })
    const error = await (await place(server)).send('T', asked.signal)
    expect([error instanceof DeliveryError, error?.temporary]).toEqual([true, true])
    expect(error!.message).toBe('127.0.0.1 took too long')
  })

  it.each(['x', '220-welcome\r\n'])(
    'is read no further than it takes to know that it is too long: %j',
    async (words) => {
      let written = 0
      const server = createServer((socket) => {
        const part = Buffer.alloc(64 * 1024, words)
        const more = () => {
          while (!socket.destroyed && written < 1_000_000_000) {
            written += part.length
            if (!socket.write(part)) return void socket.once('drain', more)
          }
        }
        socket.on('error', () => {})
        more()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closing(server)
      const { port } = server.address() as AddressInfo
      const error = await (await place({ port })).send()
      expect(error).toBeInstanceOf(DeliveryError)
      expect(written).toBeLessThan(20_000_000)
    },
  )

  it('is told by a test of the channel', async () => {
    const it = await place(await mailServer({ refuse: () => 550 }))
    const { id } = (await it.call('ADMIN', 'POST', path, { type: 'email', to: 'ada@example.com' })).body
    expect((await it.call('ADMIN', 'POST', `${path}/${id}/test`)).body).toMatchObject({
      status: 502,
      code: 'delivery_failed',
      detail: expect.stringContaining('127.0.0.1 answered 550'),
    })
  })
})

describe('a mail through a channel', () => {
  it('has no header that its title begins', async () => {
    const server = await mailServer()
    const it = await place(server)
    const title = 'Done\r\nBcc: eve@example.com\nX-Evil: 1\r\n\r\nbody\u2028X-Evil: 2'
    expect(await it.send(title)).toBeNull()
    const [mail] = await server.until(1)
    expect(mail).toMatchObject({ to: ['ada@example.com'] })
    expect(mail!.headers['subject']).toBe('[muster] Done Bcc: eve@example.com X-Evil: 1 body X-Evil: 2')
    expect(Object.keys(mail!.headers)).not.toContain('bcc')
    expect(Object.keys(mail!.headers)).not.toContain('x-evil')
  })
})
