#!/usr/bin/env node
// A scripted stand-in for Anthropic's `claude`, for trying Muster out without a key. It calls no model. It takes the flags
// that Muster gives to the real client, speaks its stream-json protocol and really runs commands. What it understands:
//   run: COMMAND         runs the command and tells how it went
//   count [slowly] to N  says the numbers one by one
//   wait                 waits until it is interrupted
//   ask: QUESTION        asks a person, is ended for it, and goes on with the answer
//   anything else        writes a greeting into a file with a command and tells where it is
const { spawn } = require('node:child_process')
const { randomUUID } = require('node:crypto')
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const model = 'scripted-stand-in'
const flags = Object.fromEntries(process.argv.slice(2).map((argument) => argument.replace(/^--?/, '').split(/=(.*)/s)))

if ('version' in flags || 'v' in flags) {
  process.stdout.write('0.0.0 (scripted stand-in, not Claude Code)\n')
  process.exit(0)
}
// What the real client keeps of a session is in the same folder; here its name is enough.
const kept = (id) => join(process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME || '/', '.claude'), 'stand-in', id)
if ('resume' in flags && !existsSync(kept(flags.resume))) {
  process.stderr.write(`No conversation found with session ID: ${flags.resume}\n`)
  process.exit(1)
}

const session_id = flags.resume || flags['session-id'] || randomUUID()
if (flags['session-id']) {
  mkdirSync(join(kept(session_id), '..'), { recursive: true })
  writeFileSync(kept(session_id), '')
}
const tools = flags.tools === undefined ? ['Bash'] : flags.tools.split(',').filter(Boolean)
const maxTurns = Number(flags['max-turns'] || 50)
const started = Date.now()
const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
let turns = 0
let command = null
let over = false

const emit = (line) =>
  new Promise((resolve) => {
    if (process.stdout.write(`${JSON.stringify({ ...line, session_id, uuid: randomUUID() })}\n`)) resolve()
    else process.stdout.once('drain', resolve)
  })
const event = (inner) => emit({ type: 'stream_event', event: inner, parent_tool_use_id: null })
const words = (text) => text.match(/\s*\S+\s*/g) || []
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function begin() {
  turns++
  usage.input_tokens += 10
  const message = {
    id: `msg_${turns}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  }
  await event({ type: 'message_start', message: { ...message, usage: { input_tokens: 10, output_tokens: 1 } } })
  return message
}

const stop = (reason) =>
  event({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  }).then(() => {
    usage.output_tokens += 5
    return event({ type: 'message_stop' })
  })

/** Streams a block of text piece by piece. */
async function say(message, index, pieces, gap = 0) {
  await event({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } })
  for (const text of pieces) {
    await event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })
    if (gap) await pause(gap)
  }
  await emit({
    type: 'assistant',
    message: { ...message, content: [{ type: 'text', text: pieces.join('') }] },
    parent_tool_use_id: null,
  })
  await event({ type: 'content_block_stop', index })
}

function execute(line) {
  return new Promise((resolve) => {
    command = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [command.stdout, command.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    command.on('error', (error) => resolve({ code: 127, output: error.message }))
    command.on('close', (code, signal) =>
      resolve({ code: code ?? 128, output: signal ? `ended by ${signal}` : output.trimEnd() }),
    )
  })
}

/** One tool call with its real effect; answers what came of it. */
async function useBash(message, index, line) {
  const id = `toolu_${turns}`
  const input = { command: line }
  await event({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'Bash', input: {} } })
  await event({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  })
  await emit({
    type: 'assistant',
    message: { ...message, content: [{ type: 'tool_use', id, name: 'Bash', input }] },
    parent_tool_use_id: null,
  })
  await event({ type: 'content_block_stop', index })
  await stop('tool_use')
  const allowed = tools.includes('Bash')
  const { code, output } = allowed ? await execute(line) : { code: 1, output: 'No such tool available: Bash' }
  const failed = code !== 0
  const content = failed && allowed ? `Exit code ${code}\n${output}` : output || '(Bash completed with no output)'
  await emit({
    type: 'user',
    message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content, is_error: failed }] },
    parent_tool_use_id: null,
    tool_use_result: failed ? `Error: ${content}` : { stdout: output, stderr: '', interrupted: false },
  })
  return { failed, output }
}

/** Asks a person by way of the crew's sidecar, which has this program ended; without one it says so. */
async function ask(question) {
  const message = await begin()
  await say(message, 0, words('I cannot know that, so I ask. '))
  const { SVC_SIDECAR_URL: sidecar, SVC_AGENT_TOKEN: key, SVC_RUN_ID: run } = process.env
  const reply = await fetch(`${sidecar}/ask-human`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-svc-run-id': run || '' },
    body: JSON.stringify({ question }),
  })
  if (!reply.ok) return finish(words(`I could not ask: ${(await reply.json()).error}`))
  setInterval(() => {}, 60_000)
}

const result = (members) =>
  emit({
    type: 'result',
    is_error: false,
    duration_ms: Date.now() - started,
    duration_api_ms: 0,
    num_turns: turns,
    total_cost_usd: 0,
    usage,
    modelUsage: { [model]: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens, costUSD: 0 } },
    permission_denials: [],
    ...members,
  })

function leave(code) {
  over = true
  process.exitCode = code
  // Lets go of what was still to come, after what was said is written.
  process.stdout.write('', () => process.exit(code))
}

async function finish(pieces, gap) {
  const message = await begin()
  await say(message, 0, pieces, gap)
  await stop('end_turn')
  await result({ subtype: 'success', result: pieces.join(''), terminal_reason: 'completed' })
}

async function withCommand(intro, line, report) {
  const message = await begin()
  await say(message, 0, words(intro))
  const done = await useBash(message, 1, line)
  if (turns >= maxTurns) {
    await result({
      subtype: 'error_max_turns',
      is_error: true,
      errors: [`Reached maximum number of turns (${maxTurns})`],
      terminal_reason: 'max_turns',
    })
    return leave(1)
  }
  await finish(words(report(done)))
}

async function main() {
  const prompt = readFileSync(0, 'utf8').split('</conversation_so_far>\n').at(-1).trim()
  if (!prompt) return
  await emit({
    type: 'system',
    subtype: 'init',
    cwd: process.cwd(),
    tools,
    mcp_servers: [],
    model,
    permissionMode: 'bypassPermissions',
    apiKeySource: process.env.ANTHROPIC_API_KEY ? 'ANTHROPIC_API_KEY' : 'none',
    claude_code_version: 'stand-in',
    skills: [],
  })
  const answer = /^You asked:\n[\s\S]* answers:\n([\s\S]*)\n\nGo on/.exec(prompt)
  if (answer) return finish(words(`Thank you. I go on with this: ${answer[1]}`))
  const question = /^ask:\s*(.+)/s.exec(prompt)
  if (question) return ask(question[1])
  const run = /^run:\s*(.+)/s.exec(prompt)
  const count = /^count (slowly )?to (\d+)/i.exec(prompt)
  if (run)
    return withCommand(`I run it. (${model}: no model was asked.)`, run[1], ({ failed, output }) =>
      failed ? `That did not work: ${output}` : 'It is done.',
    )
  if (count)
    return finish(
      Array.from({ length: Number(count[2]) }, (_, n) => `${n + 1} `),
      count[1] ? 100 : 0,
    )
  if (/^wait\b/i.test(prompt)) {
    await say(await begin(), 0, words('I wait until you interrupt me. '))
    setInterval(() => {}, 60_000)
    return
  }
  const line = `printf 'Hello from %s.\\n' "\${SVC_AGENT_ID:-an agent}" > hello.txt && date -u '+Written %Y-%m-%dT%H:%M:%SZ' >> hello.txt && cat hello.txt`
  await withCommand(
    `I am a scripted stand-in: no model reads what you write. I can still work, so I leave you a file. `,
    line,
    ({ failed, output }) =>
      failed ? `The file could not be written: ${output}` : 'The file hello.txt is in my output folder.',
  )
}

process.stdout.on('error', () => process.exit(1))
process.on('SIGTERM', () => {
  command?.kill('SIGTERM')
  leave(143)
})
process.on('SIGINT', async () => {
  if (over) return
  over = true
  command?.kill('SIGTERM')
  await emit({
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    parent_tool_use_id: null,
  })
  await result({
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'aborted_streaming',
    errors: ['interrupted'],
  })
  leave(0)
})
main()
