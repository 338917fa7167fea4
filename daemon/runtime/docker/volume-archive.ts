import { PassThrough, type Readable } from 'node:stream'
import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type { CrewSpec } from '../types.ts'
import { demultiplex } from './attach.ts'
import { hardened, labelsOf, volumeMount } from './containers.ts'
import { asking, type Container, type Engine, ifThere, settle, unhurried } from './engine.ts'
import { labels, type Naming, volumeName } from './names.ts'
import { crewProfile } from './seccomp.ts'

type Owner = Pick<CrewSpec, 'crewId' | 'slug' | 'workspaceId'>

const folder = '/data'

const isThere = async (engine: Engine, name: string): Promise<boolean> =>
  (await ifThere('looking at a volume', () => engine.getVolume(name).inspect())) !== null

/**
 * A crew's volume as a tar archive, read by a container that may read everything, write nothing and has no network.
 * Null when there is no such volume. `only` names the folders that are wanted, else everything.
 */
export async function readVolume(
  engine: Engine,
  naming: Naming,
  spec: Owner,
  image: string,
  volume: string,
  only: readonly string[] = [],
): Promise<Readable | null> {
  if (!(await isThere(engine, volumeName(naming, spec.crewId, volume)))) return null
  const container = await helper(engine, naming, spec, image, volume, true, [
    'tar',
    '--create',
    '--file=-',
    '--numeric-owner',
    '--hard-dereference',
    '--ignore-failed-read',
    '--warning=no-file-changed',
    `--directory=${folder}`,
    ...(only.length ? only.map((it) => `./${it}`) : ['.']),
  ])
  const out = new PassThrough()
  void stream(container, out).catch((error: Error) => out.destroy(error))
  return out
}

async function stream(container: Container, out: PassThrough): Promise<void> {
  let said = ''
  try {
    const from = await asking('attaching to a container', () =>
      container.attach({ stream: true, stdout: true, stderr: true }),
    )
    const split = demultiplex((source, chunk) => {
      if (source === 2) said = (said + chunk.toString('utf8')).slice(-1000)
      // What is split off lies in the chunk of the connection, which is not used again.
      else if (!out.write(chunk)) from.pause()
    })
    out.on('drain', () => from.resume())
    from.on('data', split)
    const ended = new Promise<void>((resolve, reject) => from.once('end', resolve).once('error', reject))
    // Whoever reads it gives up: the container is still removed.
    const left = new Promise<void>((resolve) => out.once('close', resolve))
    await asking('starting a container', () => container.start())
    await Promise.race([ended, left])
    if (out.destroyed) return
    const { StatusCode } = (await unhurried('reading a volume', () => container.wait())) as { StatusCode: number }
    // 1: a file changed while it was read, which is what agents at work do.
    if (StatusCode > 1) throw new RuntimeError('refused', `A crew's files could not be read: ${said.trim()}`)
    out.end()
  } finally {
    await settle('removing a container', () => container.remove({ force: true }))
  }
}

/** Whether any of the crew's volumes of these names exists. */
export async function volumesThere(engine: Engine, naming: Naming, crewId: string, names: string[]): Promise<string[]> {
  const found = await Promise.all(names.map((it) => isThere(engine, volumeName(naming, crewId, it))))
  return names.filter((_, index) => found[index])
}

/** Makes a volume and fills it from a tar archive. Removes it again when that fails. */
export async function fillVolume(
  engine: Engine,
  naming: Naming,
  spec: Owner,
  image: string,
  volume: string,
  tar: NodeJS.ReadableStream,
): Promise<void> {
  const Name = volumeName(naming, spec.crewId, volume)
  await asking('making a volume', () => engine.createVolume({ Name, Labels: labelsOf(naming, spec, 'volume', '') }))
  try {
    const container = await helper(engine, naming, spec, image, volume, false, ['true'])
    try {
      await unhurried('filling a volume', () => container.putArchive(tar, { path: folder }))
    } finally {
      await settle('removing a container', () => container.remove({ force: true }))
    }
  } catch (error) {
    await removeVolume(engine, naming, spec.crewId, volume)
    throw error
  }
}

export const removeVolume = (engine: Engine, naming: Naming, crewId: string, volume: string): Promise<void> =>
  settle('removing a volume', () => engine.getVolume(volumeName(naming, crewId, volume)).remove())

async function helper(
  engine: Engine,
  naming: Naming,
  spec: Owner,
  image: string,
  volume: string,
  reads: boolean,
  argv: string[],
): Promise<Container> {
  const name = `${naming.prefix}-backup-${spec.crewId}-${volume}`
  await settle('removing a container', () => engine.getContainer(name).remove({ force: true }))
  return asking(`making ${name}`, () =>
    engine.createContainer({
      name,
      Image: image,
      User: '0:0',
      Entrypoint: argv,
      Cmd: [],
      WorkingDir: '/',
      AttachStdout: true,
      AttachStderr: true,
      Labels: { [labels.managed]: 'true', [labels.kind]: 'backup' },
      HostConfig: {
        ...hardened(192, 1, 32, crewProfile),
        // An engine that may not raise its own limits starts no container with higher ones.
        Ulimits: [],
        CapAdd: ['DAC_READ_SEARCH'],
        NetworkMode: 'none',
        Mounts: [
          volumeMount(naming, spec, {
            Source: volumeName(naming, spec.crewId, volume),
            Target: folder,
            ReadOnly: reads,
          }),
        ],
        LogConfig: { Type: 'none', Config: {} },
        RestartPolicy: { Name: 'no' },
      } as Docker.HostConfig,
    }),
  )
}
