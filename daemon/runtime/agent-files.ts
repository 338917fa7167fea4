import type { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import type { Commit, Conditions, ReadText } from '#kernel/runs'
import { RuntimeError } from './errors.ts'
import { loadPrograms, programsFolder } from './programs.ts'
import type { FilesRequest } from './spool/agent-files.ts'
import type { ChangedAnswer, ChangedRequest } from './spool/changed-files.ts'
import { within } from './spool/files.ts'
import type { Saved } from './spool/save-file.ts'
import type { AgentCommand, AgentSpec, FileEntry, Runtime } from './types.ts'

/** An agent in its crew. */
export interface Place {
  crewId: string
  agent: AgentSpec
}

const saveSeconds = 30
const readSeconds = 10
const levels = 3
const mostBytes = 4 * 1024 * 1024
/** What `git log` may print. */
const logBytes = 1024 * 1024
const patchCharacters = 64 * 1024
const commits = 20

let source: string | undefined
const program = (): string => {
  source ??= loadPrograms(programsFolder(), ['agent-files.cjs'])[0]!.content.toString()
  return source
}

async function ask<T>(runtime: Runtime, { crewId, agent }: Place, request: FilesRequest, more: Partial<AgentCommand>) {
  const argv = ['node', '-e', program(), JSON.stringify(request)]
  const { code, stdout, stderr } = await runtime.command(crewId, agent, {
    argv,
    seconds: readSeconds,
    mostBytes,
    ...more,
  })
  if (code !== 0) throw new RuntimeError('refused', ended(code, stderr))
  return JSON.parse(stdout) as T
}

const ended = (code: number, stderr: string) =>
  code === 124 ? 'it took too long' : stderr.trim().slice(-500) || `it ended with ${code}`

/** Saves a file in an agent's output folder, as the agent. */
export function saveAgentFile(
  runtime: Runtime,
  place: Place,
  path: string,
  content: Buffer,
  { match = null, absent = false }: Conditions = {},
): Promise<Saved> {
  const { output: root } = runtime.places(place.crewId, place.agent)
  const request = { op: 'save', root, path: within(path)!, size: content.length, match, absent } as const
  return ask(runtime, place, request, { stdin: content, seconds: saveSeconds, alone: true })
}

/** Lists an agent's home folder, as the agent. */
export const listHome = (runtime: Runtime, place: Place, path: string): Promise<FileEntry[]> => {
  const { home: root } = runtime.places(place.crewId, place.agent)
  return ask(runtime, place, { op: 'list', root, path: within(path) ?? '', depth: levels }, {})
}

/** The files that changed in an agent's folders since then, as the agent sees them. Nothing in the answer is sure. */
export const changedFiles = (
  runtime: Runtime,
  place: Place,
  asked: Omit<ChangedRequest, 'op'>,
): Promise<ChangedAnswer> =>
  ask(
    runtime,
    place,
    { op: 'changed', ...asked },
    { seconds: Math.ceil(asked.most.ms / 1000) + 5, mostBytes: answerBytes(asked) },
  )

/** Reads a text as an agent sees it; null while the crew does not run. Nothing in the answer is sure. */
export async function readTextAs(
  runtime: Runtime,
  place: Place,
  path: string,
  mostBytes: number,
): Promise<ReadText | null> {
  try {
    return await ask<ReadText>(runtime, place, { op: 'text', path, mostBytes }, {})
  } catch (error) {
    if (error instanceof RuntimeError && error.kind === 'not_running') return null
    throw error
  }
}

/** What an answer within these bounds measures at most. */
const answerBytes = ({ most, texts }: Pick<ChangedRequest, 'most' | 'texts'>): number =>
  2 * most.pathBytes + 240 * most.files + (texts?.bytes ?? 0) + 1000

/** Settings by which a repository could start programs. They run as the agent in any case. */
const tame = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'log.showSignature=false']
const noPrograms = ['--no-ext-diff', '--no-textconv', '--no-show-signature', '--no-color', '--no-notes']

/** The last commits of an agent's output folder, newest first; none where it is no repository. */
export async function gitLog(runtime: Runtime, { crewId, agent }: Place, patch: boolean): Promise<Commit[]> {
  const { output } = runtime.places(crewId, agent)
  const mark = randomBytes(12).toString('hex')
  const format = `--format=${mark}%n%H%n%an%n%aI%n%B%n${mark}`
  const what = patch ? ['--patch'] : ['--no-patch']
  const git = ['git', '--no-pager', ...tame.flatMap((it) => ['-c', it]), '-C', output, 'log', `-${commits}`, format]
  // `head` bounds what is printed; git ends when nobody reads on.
  const argv = ['sh', '-c', `[ -e "$0/.git" ] || exit 0; "$@" | head -c ${logBytes}`, output]
  const { code, stdout, stderr } = await runtime.command(crewId, agent, {
    argv: [...argv, ...git, ...noPrograms, ...what],
    env: {
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_CEILING_DIRECTORIES: output,
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      LC_ALL: 'C.UTF-8',
    },
    seconds: readSeconds,
    mostBytes,
  })
  if (code !== 0) throw new RuntimeError('refused', ended(code, stderr))
  return readLog(stdout, mark)
}

/** Reads what `git log` printed between marks that no commit can know. */
export function readLog(printed: string, mark: string): Commit[] {
  const pieces = printed.split(`${mark}\n`).slice(1)
  const found: Commit[] = []
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const [hash = '', author = '', date = '', ...message] = pieces[at]!.split('\n')
    const patch = pieces[at + 1]!.trim().slice(0, patchCharacters)
    found.push({ hash, message: message.join('\n').trimEnd(), author, date, ...(patch && { patch }) })
  }
  return found
}
