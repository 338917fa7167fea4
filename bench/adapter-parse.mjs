// What adapters make frames of in a second, against JSON.parse of the same lines, without secrets to mask and with one:
// each adapter in a process of its own, as functions that all of them share would be compiled for all of their lines.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { report } from './measure.mjs'
import { load, median, root } from './support.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const megabytes = Number(process.env.BENCH_MB ?? 8)
const chunkBytes = 64 * 1024
const secret = 'sk-bench-0123456789abcdef'

const { createParser, adapterOf } = await load('daemon/runtime/adapters/parser.ts', 'daemon/runtime/adapters/index.ts')
const streams = join(root, 'test/fixtures/streams')
const adapters = {
  CLAUDE_CODE: 'claude',
  CODEX_CLI: 'codex',
  FACTORY_DROID: 'droid',
  GEMINI_CLI: 'gemini',
  OPENCODE: 'opencode',
}

/** The recorded lines of a client again and again. */
function linesOf(client) {
  const recorded = readdirSync(streams)
    .filter((name) => name.startsWith(`${client}-`) && name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(streams, name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && isObject(line))
  const lines = []
  for (let left = megabytes * 1048576, at = 0; left > 0; at++) {
    lines.push(recorded[at % recorded.length])
    left -= lines.at(-1).length + 1
  }
  return lines
}

function isObject(line) {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}

function seconds(work) {
  const from = performance.now()
  work()
  return (performance.now() - from) / 1000
}

function measure(name) {
  const bytes = Buffer.from(`${linesOf(adapters[name]).join('\n')}\n`)
  // Each line is a string of its own, as it is for who reads a stream.
  const lines = bytes.toString().trimEnd().split('\n')
  const parse = (secrets) => {
    const started = { mcpServers: [], model: 'm', used: null }
    const parser = createParser(adapterOf(name).reader(started), secrets)
    for (let at = 0; at < bytes.length; at += chunkBytes) parser.feed(bytes.subarray(at, at + chunkBytes))
    parser.flush()
  }
  const plain = () => {
    for (const line of lines) JSON.parse(line)
  }
  const [parsed, masked, limit] = [[], [], []]
  for (let round = 0; round <= rounds; round++) {
    const [mine, hiding, theirs] = [seconds(() => parse([])), seconds(() => parse([secret])), seconds(plain)]
    if (round > 0) parsed.push(mine) && masked.push(hiding) && limit.push(theirs)
  }
  const rate = (times) => bytes.length / 1048576 / median(times)
  const tell = (row, times, goal) => {
    const ratio = rate(times) / rate(limit)
    report({
      row: `${row}: ${name}`,
      ours: `${rate(times).toFixed(0)} MB/s`,
      limit: `${rate(limit).toFixed(0)} MB/s`,
      ratio,
      ...(goal ? { target: `>= ${goal.toFixed(2)}`, met: ratio >= goal } : { target: 'none', met: true }),
      method: `${megabytes} MB of recorded lines, in chunks of 64 KB; median of ${rounds}`,
    })
  }
  tell('parse throughput', parsed, 0.5)
  tell('parse throughput with a secret to mask', masked)
}

const only = process.argv[2]
if (only) measure(only)
else
  for (const name of Object.keys(adapters))
    spawnSync(process.execPath, [import.meta.filename, name], { stdio: 'inherit', env: process.env })
