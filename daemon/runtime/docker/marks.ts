import { Buffer } from 'node:buffer'
import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type { FullRequest, MarksRequest } from '../marks/wire.ts'
import type { CrewSpec } from '../types.ts'
import { demultiplex } from './attach.ts'
import { startNew } from './bring-up.ts'
import { hardened, volumeMount } from './containers.ts'
import { asking, type Engine, settle, unhurried } from './engine.ts'
import { labelFilter, labels, marksName, type Naming, volumeName } from './names.ts'
import { crewProfile } from './seccomp.ts'

const markerName = ({ prefix }: Naming, crewId: string) => `${prefix}-marker-${crewId}`

/** What is marked: the folders in which agents work. Their homes and spools are their programs' own. */
const roots = [
  { shown: '/crew/shared', volume: 'crew', at: '/data/crew/shared' },
  { shown: '/output', volume: 'output', at: '/data/output' },
  { shown: '/workspace', volume: 'workspace', at: '/data/workspace' },
] as const
const store = '/marks'

type Owner = Pick<CrewSpec, 'crewId' | 'slug' | 'workspaceId'>

/**
 * Runs the program that marks files, in a container of its own without network: agents cannot reach the marks, and the
 * program nothing but the crew's folders, which it may write only to put files back.
 */
export async function askMarks(
  engine: Engine,
  naming: Naming,
  spec: Owner,
  image: string,
  request: MarksRequest,
  seconds: number,
): Promise<string> {
  const { Volumes } = await asking('listing volumes', () =>
    engine.listVolumes({ filters: labelFilter(naming, { [labels.crew]: spec.crewId }) }),
  )
  const there = new Set((Volumes ?? []).map(({ Name }) => Name))
  if (!roots.every(({ volume }) => there.has(volumeName(naming, spec.crewId, volume))))
    throw new RuntimeError('refused', 'the crew has no files yet: it never ran')
  await removeMarker(engine, naming, spec.crewId)
  const full: FullRequest = { ...request, store, roots: roots.map(({ shown, at }) => ({ shown, at })), seconds }
  const container = await startNew(engine, marker(naming, spec, image, full))
  try {
    await unhurried('marking the files of a crew', () => container.wait())
    const logs = { follow: false, stdout: true, stderr: true } as const
    return said(await asking('reading what was marked', () => container.logs(logs)))
  } finally {
    await settle('removing a container', () => container.remove({ force: true }))
  }
}

/** Ends a marking container that still runs, since it keeps the volumes in use. */
export const removeMarker = (engine: Engine, naming: Naming, crewId: string): Promise<void> =>
  settle('removing a container', () => engine.getContainer(markerName(naming, crewId)).remove({ force: true }))

const reading = ['DAC_READ_SEARCH']
const writing = [...reading, 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID']

/** It has no crew label, so that stopping the crew leaves it alone. */
function marker(naming: Naming, spec: Owner, image: string, request: FullRequest): Docker.ContainerCreateOptions {
  const puts = request.op === 'restore'
  const mount = (Source: string, Target: string, ReadOnly: boolean) =>
    volumeMount(naming, spec, { Source, Target, ReadOnly })
  return {
    name: markerName(naming, spec.crewId),
    Image: image,
    User: '0:0',
    Entrypoint: ['node', '--max-old-space-size=1024', '/opt/muster/marks.cjs', JSON.stringify(request)],
    Cmd: [],
    WorkingDir: '/',
    Labels: { [labels.managed]: 'true', [labels.kind]: 'marker' },
    HostConfig: {
      ...hardened(1280, 1, 32, crewProfile),
      CapAdd: puts ? writing : reading,
      NetworkMode: 'none',
      Mounts: [
        ...roots.map(({ volume }) => mount(volumeName(naming, spec.crewId, volume), `/data/${volume}`, !puts)),
        mount(marksName(naming, spec.crewId), store, false),
      ],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '32m', 'max-file': '1' } },
      RestartPolicy: { Name: 'no' },
    } as Docker.HostConfig,
  }
}

/** What the program printed. */
function said(logs: Buffer): string {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  demultiplex((source, chunk) => {
    parts[source === 2 ? 'stderr' : 'stdout'].push(Buffer.from(chunk))
  })(logs)
  const line = Buffer.concat(parts.stdout).toString('utf8')
  if (line.endsWith('\n')) return line
  const why = Buffer.concat(parts.stderr).toString('utf8').trim().slice(-500)
  throw new RuntimeError('refused', why || 'the program was ended')
}
