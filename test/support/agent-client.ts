import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentFrame } from '#contract/frames'
import type { Adapter, Turn, Verdict } from '../../daemon/runtime/adapters/adapter.ts'
import { createParser } from '../../daemon/runtime/adapters/parser.ts'
import { judge } from '../../daemon/runtime/adapters/verdict.ts'
import type { RunEnd } from '../../daemon/runtime/types.ts'

const script = new URL('../../scripts/fetch-agent-clis.mjs', import.meta.url).pathname

/** The folder with a vendor's client, fetched if need be; or why it cannot be had. */
export function fetchClient(client: string): { bin: string; missing: false } | { bin: null; missing: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, client], { encoding: 'utf8' })
  if (status === 0) return { bin: join(stdout.trim().split('\t')[1]!, 'node_modules', '.bin'), missing: false }
  return {
    bin: null,
    missing: `the client "${client}" cannot be fetched from the npm registry: ${stderr.trim().split('\n').at(-1)}`,
  }
}

/** An agent's folders in a scratch directory. */
export function agentFolders() {
  const root = mkdtempSync(join(tmpdir(), 'muster-agent-'))
  const at = (name: string) => {
    const path = join(root, name)
    mkdirSync(path)
    return path
  }
  const folders = {
    home: at('home'),
    cwd: at('output'),
    scratch: at('workspace'),
    shared: at('shared'),
    run: at('run'),
  }
  return { folders, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** Makes the agent's folder one whose git runs a program when it is asked for its state; the file that it leaves. */
export function gitThatRuns({ cwd, shared }: { cwd: string; shared: string }): string {
  const seen = join(shared, 'seen')
  execFileSync('git', ['init', '--quiet'], { cwd })
  execFileSync('git', ['config', 'core.fsmonitor', `touch ${seen}; false`], { cwd })
  return seen
}

export interface LocalRun {
  frames: AgentFrame[]
  verdict: Verdict
  end: RunEnd
  stderr: string
  /** Processes of the run that outlived its client; they are ended too. */
  left: number[]
}

interface Options {
  /** Put in front of PATH. */
  bin: string
  env?: Record<string, string>
  secrets?: string[]
  /** Called after each frame. `end` sends TERM to the run's process group and marks it as asked for. */
  onFrame?: (frame: AgentFrame, end: (signal?: NodeJS.Signals) => void) => void
  /** Ends the run, as asked for, once this holds. */
  endWhen?: () => boolean
}

/** Some clients are programs of Bun, which in a turn of seconds spends more on compiling code than that saves. */
const compileLess = {
  BUN_JSC_useFTLJIT: '0',
  BUN_JSC_thresholdForJITAfterWarmUp: '2000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '20000',
}

/**
 * Runs one turn as a runtime would: own process group, files and input written first, output read as it comes,
 * and in the end nothing of it is left.
 */
export async function runLocally(
  adapter: Adapter,
  turn: Turn,
  { bin, env = {}, secrets = [], onFrame, endWhen }: Options,
): Promise<LocalRun> {
  const { spec, mcpServers } = adapter.launch(turn)
  for (const { path, content, mode = 0o600, link } of spec.files) {
    mkdirSync(dirname(path), { recursive: true })
    rmSync(path, { force: true })
    if (link === undefined) writeFileSync(path, content, { mode })
    else symlinkSync(link, path)
  }
  const input = join(turn.folders.run, 'in')
  writeFileSync(input, spec.stdin)
  const [program = '', ...args] = spec.argv
  // The vendor's client refuses root unless it is told that it stands in a sandbox.
  const sandbox: Record<string, string> = process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}
  const child = spawn(program, args, {
    cwd: turn.folders.cwd,
    detached: true,
    stdio: [openSync(input, 'r'), 'pipe', 'pipe'],
    env: { PATH: `${bin}:${process.env['PATH']}`, ...sandbox, ...compileLess, ...spec.env, ...env },
  })
  const key = turn.access.via === 'sidecar' ? turn.access.key : turn.access.token
  const parser = createParser(adapter.reader({ mcpServers, model: turn.model, used: null }), [...secrets, key])
  const frames: AgentFrame[] = []
  let cancelled = false
  let stderr = ''
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, name)
  }
  const take = (batch: AgentFrame[]) => {
    for (const frame of batch) {
      frames.push(frame)
      onFrame?.(frame, cancel)
    }
    if (parser.abort) signal('SIGTERM')
  }
  const cancel = (name: NodeJS.Signals = 'SIGTERM') => {
    cancelled = true
    signal(name)
  }
  const watch = endWhen && setInterval(() => endWhen() && cancel(), 50)
  child.stdout!.on('data', (chunk: Buffer) => take(parser.feed(chunk)))
  child.stderr!.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const end = await new Promise<RunEnd>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, name) =>
      resolve(name ? { kind: 'signal', signal: name } : { kind: 'exit', code: code ?? 0, timedOut: false }),
    )
  })
  clearInterval(watch)
  const left = survivors(turn.runId).filter(kill)
  take(parser.flush())
  const resumed = turn.session?.resume ?? false
  const verdict = judge(parser, { end, stderr, cancelled, resumed }, adapter.stderrFailure)
  return { frames, verdict, end, stderr, left }
}

/** What was said, as one text. */
export const spoken = (frames: AgentFrame[]) =>
  frames.map((frame) => (frame.type === 'text' ? frame.content : '')).join('')

/** Living processes that carry the mark of a run: a client's commands may stand in process groups of their own. */
export function survivors(runId: string): number[] {
  const marked = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`SVC_RUN_ID=${runId}`)
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && marked(name))
    .map(Number)
}

/** Ends a process; false when it has ended by itself. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

export const readText = (...path: string[]) => readFileSync(join(...path), 'utf8')
