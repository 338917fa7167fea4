import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { lineReader } from '#runtime/sidecar/lines'
import type { SidecarConfig } from '#runtime/types'

type Start = (config: SidecarConfig, env: NodeJS.ProcessEnv) => Promise<{ port: number; child: ChildProcess }>

/** Builds the sidecar as a program of its own, because Node reads further authorities only when it starts. */
export async function sidecarProgram(folder: string): Promise<Start> {
  const outfile = join(folder, 'sidecar.cjs')
  const contents = `import { startSidecar } from './daemon/runtime/sidecar/server.ts'
    startSidecar({ port: 0, isolated: false, report() {} }).then((it) => {
      it.configure(JSON.parse(process.env.CONFIG)); console.log(it.port) })`
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    outfile,
    logLevel: 'error',
  })
  return async (config, env) => {
    const child = spawn(process.execPath, [outfile], {
      env: { CONFIG: JSON.stringify(config), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const port = await new Promise((resolve) => child.stdout.on('data', lineReader(resolve)))
    return { port: Number(port), child }
  }
}
