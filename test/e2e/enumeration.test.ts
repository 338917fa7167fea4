import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { closing } from '#test'
import { mailServer } from '../support/mail-server.ts'
import { startMusterd } from '../support/musterd.ts'
import { tellApart } from '../support/samples.ts'

const pairs = 24

/**
 * The built daemon with mail, in a process of its own: nothing that happens after an answer can delay what measures it.
 */
async function measured() {
  const mail = await mailServer()
  const data = mkdtempSync(join(tmpdir(), 'muster-time-'))
  const daemon = await startMusterd({
    HOME: data,
    SVC_DATA_DIR: data,
    SVC_PORT: '0',
    SVC_ENV: 'test',
    SVC_RATELIMIT_DISABLED: 'true',
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_ALLOW_SIGNUP: 'true',
    SVC_PUBLIC_URL: 'https://muster.example.com',
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAILER_FROM: 'muster@example.com',
    SVC_LOG_LEVEL: 'error',
  })
  closing({
    close: async () => {
      await daemon.kill()
      rmSync(data, { recursive: true, force: true })
    },
  })

  /** Milliseconds until the whole answer is there, and the answer. */
  async function send(path: string, body: object) {
    const started = performance.now()
    const reply = await fetch(`${daemon.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await reply.text()
    return { ms: performance.now() - started, started, answer: `${reply.status} ${text}` }
  }
  return { mail, send }
}

const person = (email: string) => ({ full_name: 'Ada Lovelace', email, password: 'correct horse battery' })

it('answers a sign-up with a taken address no sooner and no later than one with a free address', async () => {
  const { mail, send } = await measured()
  await send('/auth/signup', person('taken@example.com'))
  const answers = new Set<string>()
  const [free, taken, unhashed]: [number[], number[], number[]] = [[], [], []]
  const once = {
    free: async (index: number) => {
      const { ms, answer } = await send('/auth/signup', person(`free-${index}@example.com`))
      free.push(ms)
      answers.add(answer)
    },
    taken: async () => {
      const { ms, answer } = await send('/auth/signup', person('taken@example.com'))
      taken.push(ms)
      answers.add(answer)
      await mail.until(taken.length)
    },
  }
  for (let index = 0; index < pairs; index += 1) {
    const order = Math.random() < 0.5 ? (['free', 'taken'] as const) : (['taken', 'free'] as const)
    for (const which of order) await once[which](index)
    // What a taken address would cost without its hash: refused for its password, before any is made.
    unhashed.push((await send('/auth/signup', { ...person('taken@example.com'), password: 'password123' })).ms)
  }
  expect([...answers]).toEqual([expect.stringMatching(/^202 \{"ok":true,/)])
  const verdict = tellApart(free, taken, 25)
  expect(verdict.leak, JSON.stringify(verdict)).toBe(false)
  const planted = tellApart(free, unhashed, 25)
  expect(planted.leak, JSON.stringify(planted)).toBe(true)
})

it('answers a forgotten password of a known address no sooner and no later than of an unknown one', async () => {
  const { mail, send } = await measured()
  await send('/auth/signup', person('known@example.com'))
  const answers = new Set<string>()
  const [known, unknown, inline]: [number[], number[], number[]] = [[], [], []]
  const once = {
    known: async () => {
      const { ms, started, answer } = await send('/auth/forgot', { email: 'known@example.com' })
      known.push(ms)
      answers.add(answer)
      await mail.until(known.length)
      // What it would take to answer after the mail is sent.
      inline.push(performance.now() - started)
    },
    unknown: async (index: number) => {
      const { ms, answer } = await send('/auth/forgot', { email: `unkn${index}@example.com` })
      unknown.push(ms)
      answers.add(answer)
    },
  }
  for (let index = 0; index < 3; index += 1) await once.unknown(1000 + index)
  unknown.length = 0
  for (let index = 0; index < pairs; index += 1) {
    const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
    for (const which of order) await once[which](index)
  }
  expect([...answers]).toEqual([expect.stringMatching(/^200 \{"ok":true,/)])
  const verdict = tellApart(known, unknown, 3)
  expect(verdict.leak, JSON.stringify(verdict)).toBe(false)
  const planted = tellApart(inline, unknown, 3)
  expect(planted.leak, JSON.stringify(planted)).toBe(true)
  process.stdout.write(`forgot: ${JSON.stringify(verdict)}, mailed inline it would be ${JSON.stringify(planted)}\n`)
})
