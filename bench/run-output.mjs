// Output of a run through spool, channel, engine and daemon, against the same command through a local pipe.
import { spawn } from 'node:child_process'
import { agent, runOnce, withCrew } from './crew.mjs'
import { report } from './measure.mjs'
import { median } from './support.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const megabytes = Number(process.env.BENCH_MB ?? 192)

/** What a coding agent's client does: an object for each event, written as a line of JSON. */
const events = `
  let left = ${megabytes} * 1048576, index = 0
  const text = 'The tests pass now; the parser kept the last line back when it had no newline at its end. '.repeat(3)
  const more = () => {
    while (left > 0) {
      const line = JSON.stringify({ type: 'assistant', message: { id: 'msg_' + index, role: 'assistant', content: [{
        type: 'text', text: index++ + text }] }, session_id: 'bench' }) + '\\n'
      left -= line.length
      if (!process.stdout.write(line)) return process.stdout.once('drain', more)
    }
  }
  more()`
const commands = {
  'events of an agent': ['node', '-e', events],
  'bytes without any work (dd)': ['dd', 'if=/dev/zero', 'bs=64k', `count=${megabytes * 16}`, 'status=none'],
}

function localPipe(argv) {
  return new Promise((resolve, reject) => {
    let bytes = 0
    const child = spawn(argv[0], argv.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.on('data', (chunk) => {
      bytes += chunk.length
    })
    child.on('close', (code) => (code === 0 ? resolve(bytes) : reject(new Error(`ended with ${code}`))))
  })
}

/** The same command with nothing of ours between: its standard output as the engine's own exec streams it. */
async function engineStream(container, argv) {
  const exec = await container.exec({ User: `${agent.uid}:1001`, Cmd: argv, AttachStdout: true })
  const stream = await exec.start({ hijack: true, stdin: false })
  let bytes = 0
  stream.on('data', (chunk) => {
    bytes += chunk.length
  })
  await new Promise((resolve) => stream.on('end', resolve))
  return bytes
}

async function rate(work) {
  const from = performance.now()
  const bytes = await work()
  return bytes / 1048576 / ((performance.now() - from) / 1000)
}

await withCrew(async ({ runtime, crewId, container }) => {
  for (const [what, argv] of Object.entries(commands)) {
    const [ours, pipe, engine] = [[], [], []]
    for (let round = 0; round < rounds; round++) {
      const runs = []
      ours.push(
        await rate(async () => {
          runs.push(await runOnce(runtime, crewId, argv))
          return runs[0].bytes
        }),
      )
      await runtime.discardRun(runs[0].run)
      pipe.push(await rate(() => localPipe(argv)))
      engine.push(await rate(() => engineStream(container, argv)))
    }
    const ratio = median(ours) / median(pipe)
    report({
      row: `output of a run: ${what}`,
      ours: `${median(ours).toFixed(0)} MB/s`,
      limit: `${median(pipe).toFixed(0)} MB/s`,
      ratio,
      target: '>= 0.50',
      met: ratio >= 0.5,
      method:
        `${megabytes} MB, startRun to the end of follow against a local pipe read by Node, median of ${rounds} ` +
        `alternated rounds; the engine's own exec stream made ${median(engine).toFixed(0)} MB/s`,
    })
  }
})
