/** Starts a run, follows it and says how far it came, until it is killed. Arguments: what `open` needs, the run. */
import { type DockerOptions, DockerRuntime } from '../../daemon/runtime/docker/runtime.ts'
import type { RunSpec } from '../../daemon/runtime/types.ts'

const [options, run] = process.argv.slice(2).map((it) => JSON.parse(it)) as [DockerOptions, RunSpec]
const runtime = new DockerRuntime(options)
await runtime.startRun(run)
runtime.follow(run, 0, {
  data: (chunk, offset) => process.stdout.write(`${offset + chunk.length}\n`),
  end: () => process.exit(0),
  broken: (error) => {
    throw error
  },
})
