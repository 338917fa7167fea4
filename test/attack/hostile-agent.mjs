// What an agent that turned against its owner may run: calls its sidecar as told, and prints as JSON what was answered.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'

const { SVC_SIDECAR_URL: sidecar, SVC_AGENT_TOKEN: key, SVC_RUN_ID: run, SVC_SECRETS_DIR: secrets } = process.env
const [what, ...rest] = process.argv.slice(2)

const kept = new Agent({ keepAlive: true })

/** One call: the status and the answer, or how it broke. */
const post = (path, body, { runId = run, agent = kept } = {}) =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}`, 'x-svc-run-id': runId, 'content-type': 'application/json' }
    const out = request(`${sidecar}${path}`, { method: 'POST', headers, agent }, async (reply) => {
      let text = ''
      for await (const chunk of reply) text += chunk
      resolve({ status: reply.statusCode, text })
    })
    out.on('error', (error) => resolve({ status: error.code, text: '' }))
    out.end(body)
  })

const tool = (name, args) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

/** As many calls as told, twelve at a time, by both ways, under many run ids, some on connections of their own. */
async function flood(count) {
  const seen = {}
  let sent = 0
  const body = JSON.stringify({ confidence: 0.5, reason: 'x'.repeat(1500) })
  const work = async () => {
    while (sent < count) {
      const n = sent++
      const mcp = n % 2 === 1
      const how = { runId: `run-${n}`, agent: n % 10 ? kept : false }
      const { status, text } = await (mcp
        ? post('/mcp', tool('report_confidence', JSON.parse(body)), how)
        : post('/report-confidence', body, how))
      const told = mcp && status === 200 ? JSON.parse(JSON.parse(text).result.content[0].text) : {}
      const kind = told.status ?? (told.id ? 202 : status)
      seen[kind] = (seen[kind] ?? 0) + 1
    }
  }
  const began = Date.now()
  await Promise.all(Array.from({ length: 12 }, work))
  return { seen, seconds: (Date.now() - began) / 1000 }
}

/** Sends the bodies of a file, `[route, body]` each, one after the other. */
async function sendAll(file) {
  const answers = []
  for (const [route, body] of JSON.parse(readFileSync(file, 'utf8'))) answers.push((await post(route, body)).status)
  return answers
}

/**
 * Writes a secret that it was given, in every way, into all that people read; waits for what they say to its questions.
 */
async function leak() {
  const secret = readFileSync(join(secrets, 'DEPLOY'), 'utf8')
  const bytes = Buffer.from(secret)
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64'),
  ]
  const answers = []
  for (const [index, form] of forms.entries()) {
    answers.push(await post('/report-confidence', JSON.stringify({ confidence: 0.1, reason: form })))
    answers.push(
      await post(
        '/agents',
        JSON.stringify({
          name: `N ${form}`,
          slug: `bob-${index}`,
          role_title: form,
          system_prompt: form,
          reason: form,
        }),
      ),
    )
    answers.push(
      await post(
        '/escalate',
        JSON.stringify({ reason: form, type: 'LINK', metadata: `https://example.com/?key=${form}` }),
      ),
    )
    await post('/mcp', tool('ask_again', { [form]: form }))
  }
  return answers.map(({ status }) => status)
}

const deeds = { flood: () => flood(Number(rest[0])), send: () => sendAll(rest[0]), leak }
process.stdout.write(`${JSON.stringify(await deeds[what]())}\n`)
process.exit(0)
