import { pack } from 'tar-stream'
import type { Manifest } from '#kernel/bundle/manifest'
import { hostile, type MemberHead } from '#kernel/bundle/members'
import { Refusal } from '../admin/place.ts'
import { connectEngine, type Engine } from '../runtime/docker/engine.ts'
import { volumes as mounts, type Naming } from '../runtime/docker/names.ts'
import { fillVolume, removeVolume, volumesThere } from '../runtime/docker/volume-archive.ts'

interface Filling {
  key: string
  tar: ReturnType<typeof pack>
  filled: Promise<void>
}

/** Puts the files of crews back into volumes of the engine, which must not exist yet; `undo` removes them again. */
export function fillVolumes(manifest: Manifest, prefix: string, image: string, engine: Engine = connectEngine()) {
  const naming: Naming = { prefix, installation: manifest.installation }
  const made: { crewId: string; volume: string }[] = []
  let filling: Filling | null = null

  async function end(): Promise<void> {
    const current = filling
    filling = null
    if (!current) return
    current.tar.finalize()
    await current.filled
  }

  function begin(crewId: string, volume: string): Filling {
    const crew = manifest.contents.crews.find(({ id }) => id === crewId)
    if (!crew || !Object.hasOwn(mounts, volume)) throw hostile(`it has a volume ${crewId}/${volume}`)
    const spec = { crewId, slug: crew.slug, workspaceId: crew.workspace_id }
    made.push({ crewId, volume })
    const tar = pack()
    const filled = fillVolume(engine, naming, spec, image, volume, tar as unknown as NodeJS.ReadableStream)
    filled.catch((error: Error) => tar.destroy(error))
    return { key: `${crewId}/${volume}`, tar, filled }
  }

  return {
    made,
    /** Refuses to touch what is there. */
    async requireNone(): Promise<void> {
      for (const { id, slug } of manifest.contents.crews) {
        const [there] = await volumesThere(engine, naming, id, Object.keys(mounts))
        if (there)
          throw new Refusal(
            'volumes_there',
            `The engine has files of the crew ${slug} already (${prefix}-${id}-${there}), and nothing is overwritten.`,
            'remove these volumes, name another engine in DOCKER_HOST, or restore with --without-crews',
          )
      }
    },
    async put(name: string, head: MemberHead, content: AsyncIterable<Buffer>): Promise<void> {
      const [crewId = '', volume = '', ...rest] = name.split('/')
      if (filling?.key !== `${crewId}/${volume}`) {
        await end()
        if (made.some((it) => it.crewId === crewId && it.volume === volume)) throw hostile(`${name} is out of order`)
        filling = begin(crewId, volume)
      }
      await add(filling!, { ...head, name: rest.join('/') || '.' }, content)
    },
    finish: end,
    async undo(): Promise<void> {
      filling?.tar.destroy()
      await filling?.filled.catch(() => undefined)
      for (const { crewId, volume } of made) await removeVolume(engine, naming, crewId, volume).catch(() => undefined)
    },
  }
}

async function add({ tar, filled }: Filling, head: MemberHead, content: AsyncIterable<Buffer>): Promise<void> {
  const stored = withResolvers()
  const sink = tar.entry(head, (error) => (error ? stored.reject(error) : stored.resolve()))
  stored.promise.catch(() => undefined)
  if (head.type === 'file') {
    for await (const chunk of content)
      if (!sink.write(chunk))
        await Promise.race([new Promise<void>((resolve) => sink.once('drain', () => resolve())), filled])
    sink.end(null)
  }
  await Promise.race([stored.promise, filled])
}

function withResolvers() {
  let resolve: () => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
