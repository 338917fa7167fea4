// Row: what Muster adds to a request for a credential beside the judge's model, with 100 requests at once. The judge is
// a scripted endpoint on loopback that answers at once; against it stands the same question asked directly.
import { createServer } from 'node:http'
import { bootstrap, percentile, report, root, scratch, startDaemon } from './measure.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 20)
const atOnce = Number(process.env.BENCH_AT_ONCE ?? 100)
const agents = Math.ceil(atOnce / 10)
const verdict = JSON.stringify({ decision: 'DENY', reason: 'It does not fit', risk: 5 })

function startJudge() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const said = { message: { role: 'assistant', content: verdict }, done: true }
      response.end(JSON.stringify(request.url === '/api/tags' ? { models: [{ name: 'qwen3' }] } : said))
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** Times of `atOnce` calls that begin together. */
async function together(ask) {
  return Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      const from = performance.now()
      await ask(index)
      return performance.now() - from
    }),
  )
}

await scratch(async (folder) => {
  const judge = await startJudge()
  const url = `http://127.0.0.1:${judge.address().port}`
  const claude = `${root}templates/demo/claude-stand-in/claude`
  const daemon = await startDaemon(folder, { SVC_CLAUDE_COMMAND: claude })
  try {
    const { headers } = await bootstrap(daemon.url)
    const send = async (method, path, body) => {
      const reply = await fetch(`${daemon.url}/api/v1${path}`, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`)
      return text ? JSON.parse(text) : null
    }
    const config = { enabled: true, judge_endpoint_url: url, judge_model: 'qwen3' }
    await send('PUT', '/admin/keeper/config', config)
    const crew = await send('POST', '/crews', { name: 'Bench', slug: 'bench' })
    const credential = await send('POST', '/credentials', { name: 'github', value: 'ghp_bench', security_level: 2 })
    const askers = []
    for (let n = 0; n < agents; n++) {
      const agent = await send('POST', '/agents', { name: `A${n}`, slug: `a${n}`, crew_id: crew.id })
      const given = { credential_id: credential.id, env_var_name: 'GH_TOKEN' }
      await send('POST', `/agents/${agent.id}/credentials`, given)
      askers.push(agent.id)
    }
    const question = JSON.stringify({ model: 'qwen3', messages: [{ role: 'user', content: 'x'.repeat(2000) }] })
    const direct = () => fetch(`${url}/api/chat`, { method: 'POST', body: question }).then((it) => it.text())
    let count = 0
    const through = async (index) => {
      const { decision } = await send('POST', '/admin/keeper/ask', {
        requesting_agent_id: askers[index % agents],
        requesting_crew_id: crew.id,
        credential_id: credential.id,
        intent: `open the pull request number ${++count} for the login fix`,
      })
      if (decision !== 'DENY') throw new Error(`The judge was asked and ${decision} came of it`)
    }
    const [ours, limit] = [[], []]
    for (let round = -2; round < rounds; round++) {
      const [mine, bare] = [await together(through), await together(direct)]
      if (round < 0) continue
      ours.push(...mine)
      limit.push(...bare)
    }
    for (const p of [50, 99]) {
      const [mine, bare] = [percentile(ours, p), percentile(limit, p)]
      report({
        row: `a request for a credential, ${atOnce} at once, beside the judge's answer, p${p}`,
        ours: `${(mine - bare).toFixed(1)} ms`,
        limit: `${bare.toFixed(1)} ms for the question alone`,
        ratio: mine / bare,
        target: 'under 500 ms',
        met: mine - bare < 500,
        method: `${rounds} times ${atOnce} requests of ${agents} agents, denied, by the operator's route`,
      })
    }
  } finally {
    await daemon.stop()
    judge.close()
  }
})
