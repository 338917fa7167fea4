import { Readable } from 'node:stream'
import { singleFlight } from '#kernel/jobs/single-flight'
import { RuntimeError } from '../errors.ts'
import { digestOf, type Program } from '../programs.ts'
import { namedServers, serverUsers } from '../server-users.ts'
import type { Progress } from '../types.ts'
import { archive, asking, type Engine, ifThere, settle, unhurried } from './engine.ts'
import { ids, labelFilter, labels, type Naming } from './names.ts'

const imageOf = 'svc.image-of'
const needed = { crew: 'sh tar timeout grep mkdir rm sleep node', sidecar: 'sh setpriv iptables-save node' }

/** Folders that all agents share. Those of a single agent are created with the agent. */
const crewFolders = [
  'mkdir -p /crew/agents /crew/shared /workspace/shared /output /spool /secrets',
  `chown 0:${ids.crewGroup} /crew/shared /workspace/shared && chmod 2770 /crew/shared /workspace/shared`,
  'chmod 755 /crew /crew/agents /workspace /output /spool /secrets',
]

/** Every uid gets a name, or Node's os.userInfo would throw. Done in the image, whose root is read-only later. */
const crewUsers = [
  `grep -q '^[^:]*:[^:]*:${ids.crewGroup}:' /etc/group || echo 'crew:x:${ids.crewGroup}:' >> /etc/group`,
  `grep -q '^[^:]*:[^:]*:${ids.watcher}:' /etc/group || echo 'muster:x:${ids.watcher}:' >> /etc/group`,
  `grep -q '^[^:]*:[^:]*:${ids.watcher}:' /etc/passwd || ` +
    `echo 'muster:x:${ids.watcher}:${ids.watcher}::/:/bin/sh' >> /etc/passwd`,
  'shell=/bin/sh; [ ! -x /bin/bash ] || shell=/bin/bash',
  `i=${ids.firstAgent}; while [ $i -le ${ids.lastNamedAgent} ]; do ` +
    `echo "agent$i:x:$i:${ids.crewGroup}::/crew:$shell"; i=$((i + 1)); done >> /etc/passwd`,
  `for first in ${serverUsers.free} ${serverUsers.restricted}; do i=$first; ` +
    `while [ $i -lt $((first + ${namedServers})) ]; do ` +
    `echo "server$i:x:$i:$i::/:/bin/sh"; i=$((i + 1)); done; done >> /etc/passwd`,
]

function recipe(kind: 'crew' | 'sidecar', baseId: string, made: Record<string, string>): string {
  const checks = [
    `for it in ${needed[kind]}; do command -v "$it" > /dev/null || { echo "the image has no $it" >&2; exit 1; }; done`,
    `node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' || ` +
      `{ echo "the image's Node.js is older than 18" >&2; exit 1; }`,
    ...(kind === 'crew'
      ? ['timeout --version > /dev/null 2>&1 || { echo "the image has no GNU timeout" >&2; exit 1; }']
      : []),
  ]
  const steps = [...checks, ...(kind === 'crew' ? [...crewFolders, ...crewUsers] : [])]
  const stated = Object.entries(made).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  return [
    `FROM ${baseId}`,
    'USER 0',
    'COPY muster/ /opt/muster/',
    `RUN set -e; ${steps.join('; ')}`,
    `LABEL ${stated.join(' ')}`,
    '',
  ].join('\n')
}

/** Builds that go on, by the name of the image: crews that start at once share one. */
const building = new Map<string, Promise<void>>()

/**
 * Builds the image of a container, with our programs on top of the base image, and returns its name. The name holds a
 * digest of both, so it is built once. Unused older images of this installation are removed.
 */
export async function ensureImage(
  engine: Engine,
  naming: Naming,
  kind: 'crew' | 'sidecar',
  base: string,
  programs: Program[],
  progress: Progress,
): Promise<string> {
  const baseId = await findOrPull(engine, base, progress)
  const of = `${kind} ${base}`
  const made = {
    [labels.managed]: 'true',
    [labels.kind]: 'image',
    [labels.installation]: naming.installation,
    [imageOf]: of,
  }
  const dockerfile = recipe(kind, baseId, made)
  const digest = digestOf([dockerfile, ...programs.flatMap(({ name, content }) => [name, content])]).slice(0, 16)
  const tag = `${naming.prefix}-run/${kind}:${digest}`
  if (await isThere(engine, tag)) return tag
  progress.step(`building the ${kind} image`, `on ${base}`)
  const context = await archive([
    { name: 'Dockerfile', uid: 0, gid: 0, mode: 0o644, content: dockerfile },
    { name: 'muster', uid: 0, gid: 0, mode: 0o755 },
    ...programs.map(({ name, content }) => ({ name: `muster/${name}`, uid: 0, gid: 0, mode: 0o755, content })),
  ])
  const build = () =>
    unhurried(`building the ${kind} image`, async () => {
      const stream = await engine.buildImage(Readable.from([context]), {
        t: tag,
        networkmode: 'none',
        forcerm: true,
        version: '1',
      })
      await told(engine, stream, (line) => {
        const [, number, all] = /^Step (\d+)\/(\d+)/.exec(line) ?? []
        if (number) progress.step(`building the ${kind} image`, `step ${number} of ${all}`)
      })
      // An engine that stops ends the stream as one that is done.
      if (!(await isThere(engine, tag)))
        throw new RuntimeError('image', `The engine ended the build of the ${kind} image without an image`)
    })
  await singleFlight(building, tag, build)
  await removeOlder(engine, naming, of, tag)
  return tag
}

const isThere = async (engine: Engine, tag: string): Promise<boolean> =>
  Boolean(await ifThere('looking for an image', () => engine.getImage(tag).inspect()))

async function findOrPull(engine: Engine, base: string, progress: Progress): Promise<string> {
  const found = await ifThere(`looking for the image ${base}`, () => engine.getImage(base).inspect())
  if (found) return found.Id
  progress.step('pulling an image', base)
  try {
    await told(engine, await engine.pull(base), (line) => progress.step('pulling an image', line))
    return (await engine.getImage(base).inspect()).Id
  } catch (cause) {
    const hint = base.endsWith(':local')
      ? 'Build it with scripts/build-images.sh or templates/containers/Dockerfile'
      : 'Pull or build it first'
    throw new RuntimeError('image', `The image ${base} is not here and cannot be pulled. ${hint}`, { cause })
  }
}

interface Told {
  stream?: string
  status?: string
  id?: string
  progress?: string
  error?: string
}

/** Reads the engine's progress of a build or a pull. Rejects with the engine's error. */
function told(engine: Engine, stream: NodeJS.ReadableStream, line: (text: string) => void): Promise<void> {
  const last: string[] = []
  return new Promise((resolve, reject) => {
    engine.modem.followProgress(
      stream,
      (error) => (error ? reject(new RuntimeError('image', [error.message, ...last.slice(-3)].join('; '))) : resolve()),
      ({ stream: output, status, id, progress, error }: Told) => {
        if (error) return
        const text = (output ?? [id, status, progress].filter(Boolean).join(' ')).trim()
        if (!text) return
        last.push(text)
        line(text)
      },
    )
  })
}

async function removeOlder(engine: Engine, naming: Naming, of: string, tag: string): Promise<void> {
  const images = await asking('listing images', () =>
    engine.listImages({ filters: labelFilter(naming, { [imageOf]: of }) }),
  )
  for (const { Id, RepoTags } of images) {
    if (RepoTags?.includes(tag)) continue
    // An image that is still in use is refused, and removed another time.
    await settle('removing an image', () => engine.getImage(Id).remove()).catch(() => {})
  }
}
