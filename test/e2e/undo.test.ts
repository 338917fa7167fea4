import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { archive, type Entry } from '../../daemon/runtime/docker/engine.ts'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { bridgeAddress, containerOf, engine, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

// The files of a crew of two agents are marked and put back, and the daemon dies in between.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const key = 'sk-ant-api03-going-back'
const prefix = 'muster-undo'
const waits = { timeout: 90_000 }
/** Nobody's: what agents leave running is ended. */
const [one, two] = ['30001:1001', '30002:1001']
const [ada, bo] = [
  { uid: 20001, gid: 1002 },
  { uid: 20002, gid: 1002 },
]

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let missionId: string
let agentId: string
let installation: string
let letGo = () => {}

beforeAll(async () => {
  const until = new Promise<void>((resolve) => {
    letGo = resolve
  })
  model = await modelEndpoint(() => ({ text: ['I wait.'], pace: () => until }), { host: host!, keys: [key] })
  daemon = await install({
    SVC_CONTAINER_PREFIX: prefix,
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '2048',
  })
  const { client } = daemon
  crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  const { id: credential_id } = await client.credentials.create({
    body: { name: 'model', value: key, type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  for (const name of ['Ada', 'Bo']) {
    agentId = (await client.agents.create({ body: { name, slug: name.toLowerCase(), crew_id: crewId } })).id
    await client.credentials.assign({ agentId, body: { credential_id, env_var_name: 'ANTHROPIC_API_KEY' } })
  }
  missionId = (await client.issues.create({ crewId, body: { title: 'Rewrite' } })).id
})

afterAll(async () => {
  letGo()
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

/** Runs a line of shell in the crew's container. */
async function sh(user: string, line: string): Promise<string> {
  const { code, stdout, stderr } = await run(await containerOf(crewId), { user, argv: ['sh', '-c', line] })
  if (code !== 0) throw new Error(`${line}: ${stderr || code}`)
  return stdout
}

/** Everything below the folders that are marked, as the engine reads it: kind, owner, mode, size, time, and content. */
async function everything(): Promise<string[]> {
  const found: string[] = []
  for (const path of ['/crew/shared', '/output', '/workspace']) {
    const tar = (await (await containerOf(crewId)).getArchive({ path })) as unknown as Readable
    for await (const entry of tar.pipe(extract())) {
      const { name, type, uid, gid, mode = 0, size, mtime, linkname } = entry.header
      const hash = createHash('sha256')
      for await (const chunk of entry) hash.update(chunk as Buffer)
      const at = type === 'directory' && name.split('/').length <= 3 ? 0 : mtime?.getTime()
      found.push([path, name, type, uid, gid, mode.toString(8), size, at, linkname, hash.digest('hex')].join(' '))
    }
  }
  return found.sort()
}

/** Puts files into a folder of the crew, as their owner's. */
const put = async (path: string, entries: Entry[]) =>
  (await containerOf(crewId)).putArchive(await archive(entries), { path })

const mark = async (label?: string) => {
  const made = await daemon.client.checkpoints.create({ missionId, body: label ? { label } : {} })
  expect(made.state.meta?.files).toMatchObject({ state: 'marked' })
  return made.id
}
const rewind = (checkpointId: string) => daemon.client.checkpoints.rewind({ checkpointId, body: { crew_id: crewId } })
const running = async () =>
  expect.poll(async () => (await daemon.client.crews.status({ crewId })).status, waits).toBe('running')

const git = 'git -c user.name=x -c user.email=x@x'
const site = '/crew/shared/site'

describe.skipIf(missing)("a crew's files", () => {
  it('cannot be marked before the crew ever ran, and the checkpoint says so', async () => {
    const made = await daemon.client.checkpoints.create({ missionId, body: {} })
    expect(made.state.meta?.files).toMatchObject({ state: 'failed', reason: expect.stringMatching(/never ran/) })
    const asked = daemon.client.checkpoints.files({ checkpointId: made.id, query: {} })
    await expect(asked).rejects.toMatchObject({ problem: { status: 409, code: 'files_not_marked' } })
  })

  it('are put back with owners, modes, links and repositories, and a rewind is rewound', async () => {
    await daemon.client.crews.start({ crewId })
    installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
    await sh(one, `umask 007; mkdir ${site}; cd ${site}; git init -q; echo 1 > a; git add a; ${git} commit -qm one`)
    await sh(one, `cd ${site}; echo x > run.sh; chmod 750 run.sh; ln -s a link`)
    await sh(two, `umask 007; echo two > ${site}/of-two; umask 077; mkdir ${site}/closed; echo p > ${site}/closed/p`)
    await put('/output', [{ name: 'ada/own', mode: 0o640, ...ada, content: 'before' }])
    await put('/output', [
      { name: 'bo/private', mode: 0o700, ...bo },
      { name: 'bo/private/p', mode: 0o600, ...bo, content: 'private' },
    ])
    const before = await everything()
    const first = await mark('before')
    await sh(one, `cd ${site}; echo 2 > a; ${git} commit -qam two; rm link; chmod 640 run.sh`)
    await sh(two, `rm -r ${site}/of-two ${site}/closed`)
    await put('/output', [
      { name: 'ada/own', mode: 0o640, ...ada, content: 'after!' },
      { name: 'bo/private/p', mode: 0o600, ...ada, content: 'private' },
      { name: 'bo/new', mode: 0o640, ...bo, content: 'new' },
    ])
    const after = await everything()
    const since = await daemon.client.checkpoints.files({ checkpointId: first, query: {} })
    const told = since.files
      .filter(({ path, kind }) => !path.includes('/.git/') && kind !== 'folder')
      .map(({ change, path, what }) => `${change} ${path} ${what.join()}`.trim())
    expect(told).toEqual([
      `changed ${site}/a content`,
      `deleted ${site}/closed/p`,
      `deleted ${site}/link`,
      `deleted ${site}/of-two`,
      `changed ${site}/run.sh mode`,
      'changed /output/ada/own content',
      'added /output/bo/new',
      'changed /output/bo/private/p owner',
    ])
    const { diff } = await daemon.client.checkpoints.diff({ checkpointId: first, query: { path: `${site}/a` } })
    expect(diff).toContain('-1\n+2\n')

    const done = await rewind(first)
    await running()
    expect(await everything()).toEqual(before)
    expect(await sh(one, `cd ${site} && git log --format=%s && git diff HEAD && git fsck --strict`)).toBe('one\n')
    expect(await sh(two, `cat ${site}/closed/p`)).toBe('p\n')

    await rewind(done.before_checkpoint_id)
    await running()
    expect(await everything()).toEqual(after)
    expect(await sh(one, `cd ${site} && git log --format=%s`)).toBe('two\none\n')
  })

  it('stay as they are while a run is open', async () => {
    const id = await mark()
    const runId = await daemon.say(await daemon.openChat(agentId), 'Wait.')
    await expect(rewind(id)).rejects.toMatchObject({ problem: { status: 409, code: 'runs_open' } })
    await daemon.client.runs.cancel({ runId })
    await expect.poll(async () => (await daemon.client.runs.show({ runId })).status, waits).toBe('CANCELLED')
  })

  it('are out of reach of links that agents put in the way, and marks of agents altogether', async () => {
    const id = await mark()
    await sh(two, 'umask 077; mkdir /crew/shared/closed; echo hidden > /crew/shared/closed/key')
    // A folder that is a link half of the time while marks are made.
    const swap = `cd /crew/shared; mkdir d; echo mine > d/key
      while [ ! -e stop ]; do mv d aside; ln -s /crew/shared/closed d; rm d; mv aside d; done`
    const swapping = sh(one, swap)
    const marks = [await mark(), await mark(), await mark()]
    await sh(one, 'touch /crew/shared/stop')
    await swapping
    for (const checkpointId of marks) {
      const path = '/crew/shared/d/key'
      const { diff } = await daemon.client.checkpoints.diff({ checkpointId, query: { path } })
      expect(diff).not.toContain('hidden')
    }
    await expect(sh(one, 'cat /crew/shared/closed/key')).rejects.toThrow(/Permission denied/)
    expect(await sh('0:0', 'ls -d /marks 2>&1; cat /proc/self/mountinfo')).not.toContain(`${prefix}-${crewId}-marks`)
    await rewind(id)
    await running()
    expect(await sh(one, 'ls -A /crew/shared')).toBe('site\n')
  })

  it('are put back also when the daemon dies over it', { timeout: 300_000 }, async () => {
    const many = (text: string) => `mkdir -p /crew/shared/many && cd /crew/shared/many &&
      node -e 'for (let n = 0; n < 6000; n++) require("fs").writeFileSync("f" + n, "${text}" + n)'`
    await sh(one, many('before'))
    const before = await everything()
    const id = await mark()
    await sh(one, `${many('after')}; rm f1 f2`)
    const asked = rewind(id).then(
      () => 'answered',
      () => 'cut off',
    )
    const restoring = async () => {
      const filters = { name: [`${prefix}-marker-${crewId}`] }
      const [found] = await engine.listContainers({ filters })
      return found !== undefined && (await engine.getContainer(found.Id).inspect()).Args.join().includes('restore')
    }
    await expect.poll(restoring, { ...waits, interval: 20 }).toBe(true)
    await daemon.kill()
    expect(await asked).toBe('cut off')
    await daemon.start()
    // A run that is asked for meanwhile waits until the files are back.
    const runId = await daemon.say(await daemon.openChat(agentId), 'Wait.')
    const rewound = async () =>
      (await daemon.client.journal.list({ query: { entry_type: 'files.rewound', limit: 1 } })).entries[0]?.payload
    await expect.poll(rewound, waits).toMatchObject({ checkpoint_id: id })
    await running()
    await daemon.client.runs.cancel({ runId })
    await expect.poll(async () => (await daemon.client.runs.show({ runId })).status, waits).toBe('CANCELLED')
    expect(await everything()).toEqual(before)
  })

  it('are forgotten with their crew', async () => {
    await daemon.client.crews.remove({ crewId })
    const volumes = async () =>
      (await engine.listVolumes({ filters: { label: [`svc.crew-id=${crewId}`] } })).Volumes?.length ?? 0
    await expect.poll(volumes, waits).toBe(0)
  })
})
