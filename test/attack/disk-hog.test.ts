import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '#client/events'
import { init, result, says } from '../support/claude-lines.ts'
import { bridgeAddress, containerOf, engine, engineMissing, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import type { MessagesBody, ScriptedTurn } from '../support/model-endpoint.ts'
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

const host = await bridgeAddress()
const noContainers =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
const noDisk = process.getuid?.() === 0 ? false : 'only root may make a small disk for a test'
leaveOut(noContainers)
leaveOut(noDisk)

const MB = 1024 ** 2
const limitMb = 64

/** What misleads those who count: holes, links, folders that only their owner may enter, odd names. */
const scatter = [
  'truncate -s 3G sparse && ln -s / everything && ln -s ../.. up && echo kept > note.txt',
  `touch "$(printf '\\377\\376')" && mkdir -p closed many && cd many && seq 1 20000 | xargs touch && cd ..`,
  'touch closed/data && ln closed/data again && chmod 700 closed',
].join(' && ')
/** Most of what a crew may store. */
const fill = 'dd if=/dev/zero of=closed/data bs=1M count=54 conv=notrunc status=none'
/** Goes on until it is ended, whatever it is told, at so many seconds a megabyte. */
const flooding = (pause: number) =>
  `trap '' TERM; for i in $(seq 1 400); do dd if=/dev/zero of=more$i bs=1M count=1 status=none; sleep ${pause}; done`
/** Lasts longer than a crew goes unmeasured on a busy machine: measuring is slow there, and has a fifth of the time. */
const flood = flooding(0.5)
/** Most of a small disk at once, the rest so slowly that a busy machine, too, notices before the reserve is gone. */
const trickle = `dd if=/dev/zero of=most bs=1M count=75 status=none; ${flooding(1)}`

interface Place {
  settings(): Promise<Record<string, string>>
  /** Lets the agent go on from filling to flooding. */
  goOn(): Promise<void>
  /** Removes what lies in the way, as a person does whom the doctor told how. */
  tidy(command: string): Promise<void>
  /** What there is beside what a crew has anyway. */
  left(): Promise<string[]>
  close(): Promise<void>
}

let daemon: Installation
let hog: { crewId: string; agentId: string }
let calm: { crewId: string; agentId: string }

async function crew(slug: string): Promise<typeof hog> {
  const crewId = (await daemon.client.crews.create({ body: { name: slug, slug } })).id
  return {
    crewId,
    agentId: (await daemon.client.agents.create({ body: { name: 'Ada', slug: `ada-${slug}`, crew_id: crewId } })).id,
  }
}

/** The first entry of this type, from now on or before. */
async function entry(type: string): Promise<Record<string, unknown>> {
  for await (const { data } of events(
    daemon.connection,
    `/api/v1/journal/stream?entry_type=${type}&since=2000-01-01T00:00:00Z`,
  ))
    return JSON.parse(data)
  throw new Error('The stream ended')
}

/** A stand-in for the client, told by the message what to do. */
function script(folder: string): string {
  const program = join(folder, 'agent')
  const say = (...lines: object[]) => lines.map((it) => `echo '${JSON.stringify(it)}'`).join('\n')
  const go = join(folder, 'go')
  const work = [
    `*scatter*) ${scatter};;`,
    `*fill*) ${fill}; until [ -e ${go} ]; do sleep 0.1; done; ${flood};;`,
    `*trickle*) ${trickle};;`,
  ].join('\n')
  writeFileSync(
    program,
    `#!/bin/sh\nread -r prompt\n${say(init)}\ncase "$prompt" in\n${work}\nesac\n${say(says('Done.'), result())}\n`,
    { mode: 0o755 },
  )
  return program
}

function processes(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'muster-hog-'))
  return {
    settings: async () => ({ SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: script(folder) }),
    goOn: async () => writeFileSync(join(folder, 'go'), ''),
    async tidy(command) {
      expect(command).toBe(`cd ${daemon.dataDir}/crews/${hog.crewId}`)
      execFileSync('/bin/sh', [
        '-c',
        `${command} && rm -rf output/ada-hog/more* output/ada-hog/closed output/ada-hog/again`,
      ])
    },
    left: async () => [],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

function containers(): Place {
  let model: ModelEndpoint
  let go = () => {}
  const going = new Promise<void>((resolve) => {
    go = resolve
  })
  const bash = (command: string): ScriptedTurn => ({ tools: [{ name: 'Bash', input: { command, timeout: 600_000 } }] })
  const answer = async ({ messages }: MessagesBody): Promise<ScriptedTurn> => {
    const text = JSON.stringify(messages)
    const told = text.includes('tool_result')
    if (text.includes('scatter') && !told) return bash(scatter)
    if (!text.includes('fill')) return { text: 'Done.' }
    if (!told) return bash(fill)
    await going
    return bash(flood)
  }
  return {
    async settings() {
      model = await modelEndpoint(answer, { host: host! })
      return { SVC_CONTAINER_PREFIX: 'muster-hog', SVC_ANTHROPIC_URL: model.url, SVC_CONTAINER_MEMORY_MB: '2048' }
    },
    goOn: async () => go(),
    async tidy(command) {
      expect(command).toMatch(
        /^docker run --rm -it --volumes-from muster-hog-team-hog-\S+ --entrypoint sh muster\/sidecar:local$/,
      )
      const words = command.replace(' -it', '').split(' ').slice(1)
      execFileSync('docker', [...words, '-c', 'cd /output/ada-hog && rm -rf more* closed again'])
    },
    left: async () =>
      (await engine.listContainers({ all: true }))
        .flatMap(({ Names }) => Names)
        .filter((name) => name.startsWith('/muster-hog-count-')),
    async close() {
      await model?.close()
      const { Config } = await (await containerOf(hog.crewId)).inspect()
      await removeInstallation(Config.Labels['svc.installation']!)
    },
  }
}

describe.each([
  ['local processes', processes, false as string | false],
  ['containers', containers, noContainers],
])('an agent that writes until its crew has no room, among %s', (_, make, missing) => {
  describe.skipIf(missing)('is held', { timeout: 240_000 }, () => {
    let place: Place
    beforeAll(async () => {
      place = make()
      daemon = await install({ SVC_CREW_DISK_MB: String(limitMb), ...(await place.settings()) })
      await daemon.client.credentials.create({
        body: { name: 'key', value: 'sk-ant-api03-hog', type: 'API_KEY', provider: 'ANTHROPIC' },
      })
      hog = await crew('hog')
      calm = await crew('calm')
    })
    afterAll(async () => {
      await daemon?.remove()
      await place?.close()
    })
    const show = () => daemon.client.crews.show({ crewId: hog.crewId })
    const finding = async () => (await daemon.client.system.doctor()).filter(({ name }) => name === 'crew data')

    it('by a warning first, and then by its end, and nobody else is', async () => {
      expect((await show()).warnings).toBeUndefined()
      // In a run of its own, so that the files are all there whenever the bytes are counted.
      expect((await daemon.turn(hog.agentId, 'Please scatter files.')).run.status).toBe('COMPLETED')
      const chatId = await daemon.openChat(hog.agentId)
      const runId = await daemon.say(chatId, 'Please fill it.')

      const warned = await entry('container.metrics')
      expect(warned).toMatchObject({
        severity: 'warn',
        crew_id: hog.crewId,
        payload: { disk_limit_bytes: limitMb * MB, disk_level: 'warn' },
      })
      const { disk_bytes, disk_files } = warned['payload'] as { disk_bytes: number; disk_files: number }
      expect(disk_bytes).toBeGreaterThan(54 * MB)
      expect(disk_bytes).toBeLessThan(limitMb * MB)
      expect(disk_files).toBeGreaterThan(20_000)
      expect((await show()).warnings).toEqual([
        expect.stringMatching(/^The crew has used \d\d MB of 64 MB of its disk space/),
      ])
      expect(await finding()).toMatchObject([
        { status: 'warn', detail: expect.stringMatching(/^hog: \d\d MB of 64 MB/) },
      ])

      await place.goOn()
      const stopped = await entry('container.failed')
      expect(stopped).toMatchObject({ severity: 'error', crew_id: hog.crewId, payload: { disk_level: 'full' } })
      for await (const line of daemon.watch(chatId, { follow: true })) if (line.type === 'done') break
      const run = await daemon.client.runs.show({ runId })
      expect(run).toMatchObject({
        status: 'FAILED',
        error_message: expect.stringMatching(/^The crew has used up its disk space \(\d+ MB of 64 MB\)/),
      })
      expect(endsIn(await daemon.entriesOf(runId))).toHaveLength(1)
      expect((await daemon.client.crews.status({ crewId: hog.crewId })).status).toBe('stopped')

      const { answer, run: other } = await daemon.turn(calm.agentId, 'Hello.')
      expect(other.status).toBe('COMPLETED')
      expect(answer?.content).toBe('Done.')
      expect(await daemon.client.system.health()).toEqual({ status: 'ok' })
      // Crews are measured all the time: a container that counts is there for as long as that takes.
      await expect.poll(place.left, { timeout: 20_000 }).toEqual([])
    })

    it('until there is room again: files can be read, runs are refused, and the doctor says what to do', async () => {
      expect(await daemon.download(hog.agentId, 'note.txt')).toBe('kept\n')
      const refused = await daemon.turn(hog.agentId, 'Hello.')
      expect(refused.run).toMatchObject({
        status: 'FAILED',
        error_message: expect.stringMatching(/^The crew has used up its disk space/),
      })
      expect(refused.frames.find(({ type }) => type === 'error')).toMatchObject({
        metadata: { reason: 'disk_full', code: 'resource_limit' },
      })
      expect((await daemon.client.crews.status({ crewId: hog.crewId })).desired).toBe('stopped')

      const [found] = await finding()
      expect(found).toMatchObject({ status: 'fail', detail: expect.stringMatching(/^hog: \d+ MB of 64 MB/) })
      await place.tidy(found!.fix!.split(', then delete')[0]!)
      const { run } = await daemon.turn(hog.agentId, 'Hello.')
      expect(run.status).toBe('COMPLETED')
      expect((await show()).warnings).toBeUndefined()
    })
  })
})

describe.skipIf(noDisk)("a disk that the daemon's data shares with crews", () => {
  let disk: string
  let place: Place
  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), 'muster-disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100m,mode=700', 'tmpfs', disk])
    place = processes()
    const reserve = { SVC_CREW_DISK_MB: '0', SVC_DISK_RESERVE_MB: '512' }
    daemon = await install({ ...reserve, ...(await place.settings()), SVC_DATA_DIR: disk })
    hog = await crew('hog')
  })
  afterAll(async () => {
    await daemon?.remove()
    await place?.close()
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  })
  const output = () => `${disk}/crews/${hog.crewId}/output/ada-hog`

  it('keeps a reserve, in which the daemon tells what happened', async () => {
    const { run } = await daemon.turn(hog.agentId, 'Please let it trickle.')
    expect(run).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringMatching(
        /^The disk of this server is nearly full \(\d MB of 100 MB free, 5 MB are kept\)/,
      ),
    })
    expect((await daemon.client.journal.list({ query: { entry_type: 'container.failed' } })).entries).toMatchObject([
      { crew_id: hog.crewId },
    ])
    const told = (await daemon.client.journal.list({ query: { entry_type: 'container.metrics' } })).entries.map(
      ({ payload }) => payload?.['disk_level'],
    )
    expect(told.reverse()).toEqual(['warn', 'full'])
    expect(await daemon.client.system.health()).toEqual({ status: 'ok' })
    expect((await daemon.client.system.doctor()).find(({ name }) => name === 'disk reserve')).toMatchObject({
      status: 'fail',
    })
  })

  it('lets runs wait for room, and go on by themselves', async () => {
    const { run, frames } = await daemon.turn(hog.agentId, 'Hello.', (frame) => {
      if (frame.type === 'status' && /waiting for room/.test(frame.content))
        execFileSync('/bin/sh', ['-c', `rm -rf ${output()}/more*`])
    })
    expect(frames.find(({ type }) => type === 'status')).toMatchObject({
      content: expect.stringMatching(/^The disk of this server is nearly full .* waiting for room$/),
    })
    expect(run.status).toBe('COMPLETED')
    expect((await daemon.client.system.doctor()).find(({ name }) => name === 'disk reserve')).toMatchObject({
      status: 'ok',
    })
  })
})
