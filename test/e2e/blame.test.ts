import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { filesWith, type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

// Two agents with the vendor's own client write files in a container, a person saves one, and lines are traced back.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const key = 'sk-ant-api03-tracing-51d0'
const shared = '/workspace/shared/app.ts'

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let installation: string
let person: Record<string, string>
const agents: Record<string, string> = {}

/** Whoever is asked runs what stands in the last message behind `$`. */
function commandOf({ messages }: MessagesBody): string | null {
  const { content } = messages.at(-1)!
  const texts =
    typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? String(part.text) : ''))
  return texts.map((text) => /\$ (.*)$/m.exec(text)?.[1]).find((command) => command !== undefined) ?? null
}

beforeAll(async () => {
  model = await modelEndpoint(
    (body) => {
      const command = commandOf(body)
      return command === null ? { text: 'Done.' } : { text: 'I run it.', tools: [{ name: 'Bash', input: { command } }] }
    },
    { host: host!, keys: [key] },
  )
  daemon = await install({
    SVC_CONTAINER_PREFIX: 'muster-blame',
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '2048',
  })
  const { client, connection } = daemon
  crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  const { id: credential_id } = await client.credentials.create({
    body: { name: 'model', value: key, type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  for (const name of ['Ada', 'Bo']) {
    const { id } = await client.agents.create({ body: { name, slug: name.toLowerCase(), crew_id: crewId } })
    await client.credentials.assign({ agentId: id, body: { credential_id, env_var_name: 'ANTHROPIC_API_KEY' } })
    agents[name] = id
  }
  await client.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
  person = {
    SVC_DATA_DIR: daemon.dataDir,
    SVC_TOKEN: (await client.tokens.create({ body: { name: 'terminal' } })).token,
    SVC_WORKSPACE: connection.workspace!,
  }
})

afterAll(async () => {
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

/** A turn that runs a command, until what it left is on record. */
async function ran(agent: string, command: string): Promise<string> {
  const { runId, run } = await daemon.turn(agents[agent]!, `Run $ ${command}`)
  expect(run.status).toBe('COMPLETED')
  await daemon.client.runs.receipt({ runId })
  return runId
}

const blamed = (path: string) => daemon.client.blame.show({ crewId, query: { path } })

/** Of each line of a file the text, and the run or the person. */
async function sources(path: string): Promise<[string, string | null | undefined][]> {
  const { hunks, versions } = await blamed(path)
  return hunks.flatMap(({ lines, version }) => {
    const by = version === null ? null : versions[version]
    return lines.map((line): [string, string | null | undefined] => [line, by && (by.run?.id ?? by.person?.name)])
  })
}

describe.skipIf(missing)('lines of a crew', () => {
  it('are traced back to runs and people, in a private folder', async () => {
    const first = await ran('Ada', "printf 'one\\ntwo\\n' > report.md")
    const second = await ran('Ada', "sed -i '1a middle' report.md")
    expect(await sources('/output/ada/report.md')).toEqual([
      ['one', first],
      ['middle', second],
      ['two', first],
    ])
    expect((await blamed('/output/ada/report.md')).versions.map(({ first, certain }) => [first, certain])).toEqual([
      [false, true],
      [false, true],
    ])
    const terminal = cli(person).terminal(['blame', 'report.md:2', '--agent', 'ada'])
    expect(await terminal.ended).toBe(0)
    expect(terminal.text()).toContain(second)
    expect(terminal.text()).toContain('sed -i')
  })

  it('are traced back where one agent wrote in place what belongs to another', async () => {
    const first = await ran('Ada', `printf 'a\\n' > ${shared}`)
    const second = await ran('Bo', `printf 'b\\n' >> ${shared}`)
    expect(await sources(shared)).toEqual([
      ['a', first],
      ['b', second],
    ])
  })

  it('are known while the crew is stopped and after the daemon was killed, without secrets', async () => {
    const run = await ran('Ada', `printf 'key %s%s\\n' ${key.slice(0, 14)} ${key.slice(14)} > keys.txt`)
    await daemon.client.crews.stop({ crewId })
    await daemon.kill()
    await daemon.start()
    const found = await blamed('/output/ada/keys.txt')
    expect(found).toMatchObject({ live: false, line_count: 1 })
    expect(found.versions[0]!.run!.id).toBe(run)
    expect(JSON.stringify(found)).not.toContain(key)
    expect(filesWith(daemon.dataDir, [key])).toEqual([])
  })
})
