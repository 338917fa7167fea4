// Starting a run in a warm container, against a bare exec of the same command in the same container.
import { agent, runOnce, withCrew } from './crew.mjs'
import { report } from './measure.mjs'
import { median } from './support.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 60)
const argv = ['sh', '-c', 'echo ready']

/** What `docker exec` does: create, start, read to the end, ask for the exit code. */
async function bareExec(container) {
  const exec = await container.exec({ User: `${agent.uid}:1001`, Cmd: argv, AttachStdout: true, AttachStderr: true })
  const stream = await exec.start({ hijack: true, stdin: false })
  stream.resume()
  await new Promise((resolve) => stream.on('end', resolve))
  const { ExitCode } = await exec.inspect()
  if (ExitCode !== 0) throw new Error(`exec ended with ${ExitCode}`)
}

const timed = async (work) => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

await withCrew(async ({ runtime, crewId, container }) => {
  const [ours, bare] = [[], []]
  for (let round = -3; round < rounds; round++) {
    const [mine, limit] = [await timed(() => runOnce(runtime, crewId, argv)), await timed(() => bareExec(container))]
    if (round < 0) continue
    ours.push(mine)
    bare.push(limit)
  }
  const ratio = median(ours) / median(bare)
  report({
    row: 'start of a run in a warm container',
    ours: `${median(ours).toFixed(1)} ms`,
    limit: `${median(bare).toFixed(1)} ms`,
    ratio,
    target: '<= 1.30',
    met: ratio <= 1.3,
    method:
      'startRun and follow to the end against exec create, start, stream and inspect of the same command by ' +
      `dockerode, median of ${rounds} alternated rounds`,
  })
})
