import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { closing } from '#test'
import { deferred } from '../support/deferred.ts'
import { certificate } from '../support/fake-server.ts'
import { mailServer } from '../support/mail-server.ts'
import { startMusterd } from '../support/musterd.ts'

/** The built daemon, which trusts the certificate of the test's servers. */
async function started(smtpUrl: string, heard: (text: string) => void = () => {}) {
  const data = mkdtempSync(join(tmpdir(), 'muster-mail-'))
  const daemon = await startMusterd(
    {
      HOME: data,
      SVC_DATA_DIR: data,
      SVC_PORT: '0',
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_ALLOW_SIGNUP: 'true',
      SVC_PUBLIC_URL: 'https://muster.example.com',
      SMTP_URL: smtpUrl,
      MAILER_FROM: 'Muster <muster@example.com>',
      NODE_EXTRA_CA_CERTS: certificate,
    },
    heard,
  )
  closing({
    close: async () => {
      await daemon.kill()
      rmSync(data, { recursive: true, force: true })
    },
  })
  const send = async (path: string, body: object) =>
    (
      await fetch(`${daemon.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status
  await send('/auth/signup', { full_name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery' })
  return { daemon, send }
}

it.each([
  ['smtps', ''],
  ['smtp', '?tls=required'],
  ['smtp', '?tls=optional'],
])('the built daemon sends mail encrypted, by %s%s, as the user that was given', async (protocol, option) => {
  const mail = await mailServer({ secure: protocol === 'smtps', authOptional: false })
  const { send } = await started(`${protocol}://muster:pa%25ss%3Aword@localhost:${mail.port}${option}`)
  expect(await send('/auth/forgot', { email: 'ada@example.com' })).toBe(200)
  const [letter] = await mail.until(1)
  expect(letter).toMatchObject({ secure: true, user: 'muster', from: 'muster@example.com', to: ['ada@example.com'] })
  const token = /token=([0-9a-f]{64})/.exec(letter!.text)![1]
  expect(await send('/auth/reset', { token, new_password: 'another good password' })).toBe(200)
  expect((await mail.until(2))[1]!.headers['subject']).toBe('Your Muster password was changed')
})

it('stops only when the mail that is under way has left', async () => {
  let log = ''
  const asked = deferred()
  const stopping = deferred()
  const mail = await mailServer({
    onMailFrom: (_address, _session, done) => {
      asked.resolve()
      stopping.promise.then(() => done())
    },
  })
  const { daemon, send } = await started(`smtp://127.0.0.1:${mail.port}`, (text) => {
    log += text
    // The daemon has heard the signal: now the mail server may go on.
    if (text.includes('"Stopping"')) stopping.resolve()
  })
  await send('/auth/forgot', { email: 'ada@example.com' })
  await asked.promise
  expect(mail.arrived).toEqual([])
  expect(await daemon.stop()).toBe(0)
  expect(mail.arrived).toHaveLength(1)
  expect(log).toContain('Mail sent')
  expect(log).not.toContain('ada@example.com')
  expect(log).not.toMatch(/[0-9a-f]{64}/)
})

it('stops in time although the mail server never answers', async () => {
  let log = ''
  const asked = deferred()
  const mail = await mailServer({ onMailFrom: () => asked.resolve() })
  const { daemon, send } = await started(`smtp://127.0.0.1:${mail.port}`, (text) => {
    log += text
  })
  await send('/auth/forgot', { email: 'ada@example.com' })
  await asked.promise
  expect(await daemon.stop()).toBe(0)
  expect(log).toContain('Mail dropped')
})
