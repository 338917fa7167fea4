import { createHash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { AgentCommand, CommandEnd } from '#runtime/types'
import { RuntimeError } from '../../daemon/runtime/errors.ts'
import type { FilesRequest } from '../../daemon/runtime/spool/agent-files.ts'
import { init, result, says } from './claude-lines.ts'
import { FakeRuntime } from './fake-runtime.ts'
import { type Workplace, workplace } from './runs.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const deflated = (text: string) => deflateRawSync(text).toString('base64')
export const report = '/output/ada/report.md'
export const shared = '/workspace/shared/app.ts'
const roots = ['/output/ada', '/crew/shared', '/workspace/shared']

/** A runtime whose crew has these files. `changed` names those that a search finds, as they are then. */
export class Disk extends FakeRuntime {
  override readonly kind = 'docker'
  override readonly files = new Map<string, string>()
  changed: { path: string; other?: true; made?: true }[] = []
  up = true

  override async command(_crew: string, { slug }: { slug: string }, { argv }: AgentCommand): Promise<CommandEnd> {
    if (!this.up) throw new RuntimeError('not_running', 'the crew does not run')
    const request = JSON.parse(argv.at(-1)!) as FilesRequest
    return { code: 0, stdout: JSON.stringify(this.answer(request, slug)), stderr: '' }
  }

  private answer(request: FilesRequest, slug: string): unknown {
    if (request.op === 'text') {
      const text = this.files.get(request.path)
      return text === undefined ? { state: 'none' } : { state: 'text', text: deflated(text) }
    }
    if (request.op === 'save') return { status: 'saved', etag: '"1"', created: false }
    const own = roots.map((root) => root.replace('ada', slug))
    const files = this.changed.map(({ path, ...more }) => {
      const root = own.findIndex((it) => path.startsWith(`${it}/`))
      const text = this.files.get(path)!
      const name = Buffer.from(path.slice(own[root]!.length + 1)).toString('base64')
      const withText = request.op === 'changed' && request.texts ? { text: deflated(text) } : {}
      return { root, path: name, size: Buffer.byteLength(text), sha256: sha256(text), ...more, ...withText }
    })
    return { files, cuts: [] }
  }

  override places(crewId: string, agent: Parameters<FakeRuntime['places']>[1]) {
    return { ...super.places(crewId, agent), crewShared: '/crew/shared', workspaceShared: '/workspace/shared' }
  }
}

export type Place = Workplace<Disk>
export const place = (config = {}): Promise<Place> => workplace({ runtime: new Disk(), config })

interface Left {
  path?: string
  text: string
  other?: true
  made?: true
}

/** A run that leaves a file so. */
export async function wrote(it: Place, content: string, { path = report, text, ...more }: Left, agent = it.agentId) {
  const count = it.runtime.programs.size
  const { run_id } = await it.send(await it.openChat(agent), content)
  const program = await it.runtime.program(count)
  it.runtime.files.set(path, text)
  it.runtime.changed = [{ path, ...more }]
  it.runtime.print(program, init, says('Done'), result())
  it.runtime.finish(program)
  await it.runs.ended(run_id)
  await it.runs.settled(run_id)
  return run_id
}
