import { Readable } from 'node:stream'
import Docker from 'dockerode'
import { afterAll, expect, it, vi } from 'vitest'
import { ensureImage } from '../../daemon/runtime/docker/images.ts'
import { newId, quiet } from '../daemon/runtime/runtime-contract.ts'
import { engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'

leaveOut(engineMissing)

const naming = { prefix: 'muster-images', installation: newId('images') }
const ensure = (docker: Docker, content: string) =>
  ensureImage(
    docker,
    naming,
    'sidecar',
    'muster/sidecar:local',
    [{ name: 'note', content: Buffer.from(content) }],
    quiet,
  )

afterAll(() => removeInstallation(naming.installation))

it('crews that start at once share one build of their image', async () => {
  const docker = new Docker()
  const build = vi.spyOn(docker, 'buildImage')
  const names = await Promise.all([1, 2, 3].map(() => ensure(docker, 'shared')))
  expect(new Set(names).size).toBe(1)
  expect(build).toHaveBeenCalledTimes(1)
  expect((await docker.getImage(names[0]!).inspect()).RepoTags).toEqual([names[0]])
})

it('an engine that ends a build without an image is not taken for one that built it, and is asked again', async () => {
  const docker = new Docker()
  vi.spyOn(docker, 'buildImage').mockImplementationOnce(async () => Readable.from([]))
  await expect(ensure(docker, 'ended')).rejects.toThrow('without an image')
  const name = await ensure(docker, 'ended')
  expect((await docker.getImage(name).inspect()).RepoTags).toEqual([name])
})
