// Tokens that the tenth turn of a chat sends, with the client's own session and with the history told again: what a
// scripted model service received from the real client.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from './measure.mjs'
import { load, root } from './support.mjs'

const turns = 10
const fetched = spawnSync(process.execPath, [join(root, 'scripts/fetch-agent-clis.mjs'), 'claude'], {
  encoding: 'utf8',
})
if (fetched.status !== 0) {
  process.stdout.write('left out: the client cannot be fetched from the npm registry\n')
  process.exit(0)
}
const bin = join(fetched.stdout.trim().split('\t')[1], 'node_modules', '.bin')
const { claudeCode, composePrompt, modelEndpoint, agentFolders, runLocally } = await load(
  'daemon/runtime/adapters/claude-code/index.ts',
  'daemon/runtime/adapters/history.ts',
  'test/support/model-endpoint.ts',
  'test/support/agent-client.ts',
)

/** Reads a file of the turn, then speaks. */
const script = (body) => {
  const last = body.messages.at(-1).content
  if (Array.isArray(last) && last.some(({ type }) => type === 'tool_result')) return { text: 'I have read the notes.' }
  const turn = /notes of turn (\d+)/.exec(JSON.stringify(last).split('</conversation_so_far>').at(-1))?.[1] ?? '0'
  return { tools: [{ name: 'Bash', input: { command: `cat notes-${turn}.txt`, description: 'Read' } }] }
}

async function chat(resumes) {
  const endpoint = await modelEndpoint(script)
  const { folders, remove } = agentFolders()
  const [id, systemPrompt] = [randomUUID(), 'You are Ada, a bench.']
  const history = []
  let before = null
  let tenth = []
  try {
    for (let turn = 1; turn <= turns; turn++) {
      writeFileSync(join(folders.cwd, `notes-${turn}.txt`), `Notes of ${turn}: ${`fact ${turn} `.repeat(600)}\n`)
      const message = `Read the notes of turn ${turn}.`
      const { length } = endpoint.messages
      before = endpoint.messages.at(-1) ?? null
      const { text } = composePrompt({ history: resumes ? [] : history, message, systemPrompt })
      const { verdict } = await runLocally(
        claudeCode,
        {
          runId: randomUUID(),
          crewId: 'bench',
          chatId: 'bench',
          agent: { id: 'bench', slug: 'ada' },
          folders,
          provider: 'ANTHROPIC',
          model: null,
          systemPrompt,
          toolProfile: 'CODING',
          cliTools: null,
          mcpConfigs: [],
          maxTurns: 0,
          unattended: false,
          prompt: text,
          access: { via: 'sidecar', key: 'dummy', origin: endpoint.url },
          proxy: null,
          env: {},
          session: resumes ? { id, resume: turn > 1, folder: join(folders.home, 'session') } : null,
        },
        { bin },
      )
      if (verdict.status !== 'completed') throw new Error(`turn ${turn}: ${verdict.reason}`)
      history.push({ role: 'user', content: message })
      history.push({ role: 'assistant', content: 'I have read the notes.', tool_summary: 'Bash' })
      tenth = endpoint.messages.slice(length)
    }
    return measured(tenth, before)
  } finally {
    await endpoint.close()
    remove()
  }
}

/** Where a provider's cache breaks: tools, system prompt and messages in this order, without its own marks. */
const text = ({ tools, system, messages }) =>
  JSON.stringify([tools, system, messages], (key, value) => (key === 'cache_control' ? undefined : value))

/** Four bytes to a token. What begins as the request before it did can come from the provider's cache. */
function measured(requests, before) {
  let [sent, cached, last] = [0, 0, before ? text(before) : '']
  for (const request of requests) {
    const now = text(request)
    let same = 0
    while (same < now.length && now[same] === last[same]) same++
    sent += now.length / 4
    cached += same / 4
    last = now
  }
  return { sent, cached, knows: text(requests[0]).includes('fact 1 fact 1') }
}

const told = ({ sent, cached, knows }) =>
  `${sent.toFixed(0)} tokens, ${cached.toFixed(0)} as before, tools' output ${knows ? 'known' : 'forgotten'}`
const [resumed, rebuilt] = [await chat(true), await chat(false)]
const share = resumed.cached / resumed.sent
report({
  row: 'tenth turn of a chat that goes on',
  ours: told(resumed),
  limit: told(rebuilt),
  ratio: share,
  target: '>= 0.90 as in the request before, and nothing forgotten',
  met: share >= 0.9 && resumed.knows,
  method: `with and without the client's session: ${turns} turns of Claude Code, each of which reads a file of 4 KB`,
})
