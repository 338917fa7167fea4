import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// A mission of a LEAD and two agents with the client of a vendor in a crew's container, by the command line.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const tasks = [
  { id: 'look', title: 'Look at the garden', agent: 'bob' },
  { id: 'water', title: 'Water the roses', agent: 'cleo', depends_on: ['look'] },
  { id: 'tell', title: 'Tell the owner', agent: 'ada', depends_on: ['water'] },
]

/** A plan for who is asked for one; a file and words for who has a task. */
function script({ messages }: MessagesBody): ScriptedTurn {
  const all = messages.map(({ content }) => JSON.stringify(content))
  const prompt = all.findLast((text) => /Your task:|Plan a mission/.test(text)) ?? ''
  if (prompt.includes('Plan a mission')) return { text: `\`\`\`json\n${JSON.stringify({ tasks })}\n\`\`\`` }
  const worked = all.some((text) => text.includes('tool_result'))
  const task = /Your task: ([A-Za-z ]+)/.exec(prompt)?.[1] ?? 'nothing'
  const command = `echo "${task}" >> done.txt; cat done.txt`
  if (!worked) return { text: 'I begin.', tools: [{ name: 'Bash', input: { command } }] }
  const found: Record<string, string> = { 'Look at the garden': 'It is dry.', 'Water the roses': 'The roses are wet.' }
  const told = Object.values(found).filter((words) => prompt.includes(words))
  return { text: `${found[task] ?? 'Done.'} ${told.length} told.` }
}

describe.skipIf(missing)('a mission of a LEAD and two agents', { timeout: 300_000 }, () => {
  let model: ModelEndpoint
  let daemon: Installation
  let installation = ''
  let environment: Record<string, string>

  const muster = async (...args: string[]) => {
    const ran = await cli(environment).run(...args)
    return { ...ran, said: `${ran.stdout}${ran.stderr}` }
  }

  beforeAll(async () => {
    model = await modelEndpoint(script, { host: host! })
    daemon = await install({
      SVC_ANTHROPIC_URL: model.url,
      SVC_CONTAINER_PREFIX: 'muster-mission',
      SVC_CONTAINER_MEMORY_MB: '2048',
    })
    const api = daemon.client
    const { id: crewId } = await api.crews.create({ body: { name: 'Garden', slug: 'garden' } })
    await api.credentials.create({
      body: { name: 'key', value: 'sk-ant-api03-mission', type: 'API_KEY', provider: 'ANTHROPIC' },
    })
    for (const [slug, agent_role] of [
      ['ada', 'LEAD'],
      ['bob', 'AGENT'],
      ['cleo', 'AGENT'],
    ] as const)
      await api.agents.create({ body: { name: slug, slug, crew_id: crewId, agent_role } })
    await api.crews.start({ crewId })
    installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
    const { token } = await api.tokens.create({ body: { name: 'command line' } })
    const { id: workspace } = (await api.workspaces.list({ query: {} }))[0]!
    environment = { SVC_DATA_DIR: daemon.dataDir, SVC_TOKEN: token, SVC_WORKSPACE: workspace }
  })

  afterAll(async () => {
    await daemon?.remove()
    await model?.close()
    if (installation) await removeInstallation(installation)
  })

  it('is planned, approved, done and completed', async () => {
    const made = await muster('missions', 'create', 'Garden day', '--crew', 'garden', '--description', 'Save the roses')
    expect(made.code, made.said).toBe(0)
    const planned = await muster('missions', 'plan', 'Garden day', '--start')
    expect(planned.code, planned.said).toBe(0)
    expect(planned.stderr).toContain('The plan has 3 tasks, and the mission has begun.')
    const watched = await muster('missions', 'watch', 'Garden day')
    expect(watched.code, watched.said).toBe(0)
    expect(watched.stdout).toContain('3\tTell the owner\tCOMPLETED\tLEAD')
    const shown = JSON.parse((await muster('missions', 'show', 'Garden day', '--json')).stdout)
    expect(shown).toMatchObject({ status: 'REVIEW', task_stats: { total: 3, completed: 3 } })
    expect(shown.tasks.map(({ result_summary }: { result_summary: string }) => result_summary)).toEqual([
      'It is dry. 0 told.',
      'The roses are wet. 1 told.',
      'Done. 1 told.',
    ])
    expect(shown.total_token_count).toBeGreaterThan(0)
    const completed = await muster('missions', 'update', 'Garden day', '--status', 'completed')
    expect(completed.code, completed.said).toBe(0)
    const told = await muster('missions', 'list', '--json=title,status')
    expect(JSON.parse(told.stdout)).toEqual([{ title: 'Garden day', status: 'COMPLETED' }])
  })
})
