// Rows: a workspace of 50 crews and 500 agents as files: its plan, its apply, and finding nothing to do, each against
// what the same takes by one request each in the same run; and how long others wait meanwhile.
import { bootstrap, median, report, scratch, startDaemon } from './measure.mjs'

const [crews, each, rounds] = [50, 10, 5]
const agents = crews * each

const documents = Array.from({ length: crews }, (_, crew) => ({
  apiVersion: 'svc/v1',
  kind: 'Crew',
  metadata: { slug: `crew-${crew}`, name: `Crew ${crew}`, description: `Builds the part ${crew}` },
  spec: {
    devcontainer: { network_mode: 'restricted', allowed_domains: ['example.com'] },
    policy: { autonomy_level: 'strict', behavior_mode: 'block' },
    agents: Array.from({ length: each }, (_, agent) => ({
      slug: `agent-${crew}-${agent}`,
      name: `Agent ${agent} of ${crew}`,
      agent_role: agent ? 'AGENT' : 'LEAD',
      role_title: 'Works',
      llm: { provider: 'ANTHROPIC' },
      prompt: `You are agent ${agent} of crew ${crew}.\n${'Work well, and say what you did.\n'.repeat(20)}`,
      timeout_seconds: 600,
    })),
  },
}))

/** Calls the API, and says how long it took. */
async function timed(at, path, body) {
  const began = performance.now()
  const reply = await fetch(`${at.url}/api/v1${path}`, {
    method: 'POST',
    headers: { ...at.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await reply.json()
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(answer).slice(0, 500)}`)
  return { ms: performance.now() - began, answer }
}

/** The longest wait of small requests, one after the other, while something is done. */
async function waits(at, work) {
  let [longest, busy] = [0, true]
  const asking = (async () => {
    while (busy) {
      const began = performance.now()
      await (await fetch(`${at.url}/api/v1/labels`, { headers: at.headers })).arrayBuffer()
      longest = Math.max(longest, performance.now() - began)
    }
  })()
  const done = await work().finally(() => (busy = false))
  await asking
  return { done, longest }
}

/** The same agents by one request each, one after the other, as scripts make them. */
async function singly(at) {
  const began = performance.now()
  for (const { metadata, spec } of documents) {
    const { answer } = await timed(at, '/crews', { ...metadata, ...limits(spec) })
    for (const { prompt, llm, ...agent } of spec.agents)
      await timed(at, '/agents', { ...agent, system_prompt: prompt, llm_provider: llm.provider, crew_id: answer.id })
  }
  return performance.now() - began
}

const limits = ({ devcontainer }) => ({
  network_mode: devcontainer.network_mode,
  allowed_domains: devcontainer.allowed_domains,
})

async function round(dir, n, work) {
  const daemon = await startDaemon(`${dir}/${n}`)
  try {
    const { headers, workspace } = await bootstrap(daemon.url)
    return await work({ url: daemon.url, headers, path: `/workspaces/${workspace}/apply` })
  } finally {
    await daemon.stop()
  }
}

await scratch(async (dir) => {
  const times = { single: [], plan: [], apply: [], nothing: [], wait: [] }
  for (let n = 0; n < rounds; n++) {
    times.single.push(await round(dir, `single-${n}`, singly))
    await round(dir, n, async (at) => {
      const planned = await waits(at, () => timed(at, `${at.path}?dry_run=true`, { documents }))
      times.plan.push(planned.done.ms)
      const { digest } = planned.done.answer.body
      const applied = await waits(at, () => timed(at, at.path, { documents, digest }))
      times.apply.push(applied.done.ms)
      if (applied.done.answer.created !== crews + agents) throw new Error(`${applied.done.answer.created} were made`)
      const nothing = await waits(at, () => timed(at, at.path, { documents }))
      times.nothing.push(nothing.done.ms)
      if (nothing.done.answer.steps.length) throw new Error('There was something to do')
      times.wait.push(Math.max(planned.longest, applied.longest, nothing.longest))
    })
  }
  const single = median(times.single)
  const what = `${crews} crews with ${agents} agents`
  const rows = [
    ['plan', 'plan of', 0.25, 'the plan of a workspace that is empty'],
    ['apply', 'apply of', 0.25, 'one change with its plan checked anew'],
    ['nothing', 'finding nothing to do in', 0.1, 'the same documents applied again'],
  ]
  for (const [name, says, most, method] of rows) {
    const ratio = median(times[name]) / single
    report({
      row: `${says} ${what}`,
      ours: `${median(times[name]).toFixed(0)} ms`,
      limit: `${single.toFixed(0)} ms for the same by one request each`,
      ratio,
      target: `<= ${most}x`,
      met: ratio <= most,
      method: `${method}; over HTTP to a fresh daemon, median of ${rounds} rounds`,
    })
  }
  const wait = median(times.wait)
  report({
    row: `longest wait of others while ${what} are planned, applied and applied again`,
    ours: `${wait.toFixed(0)} ms`,
    limit: `${single.toFixed(0)} ms for the same by one request each`,
    ratio: wait / single,
    target: '<= 0.15x: the one transaction that makes it all or nothing',
    met: wait / single <= 0.15,
    method: `small reads, one after the other, during all three; the longest of each round, median of ${rounds} rounds`,
  })
})
