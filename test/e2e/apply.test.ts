import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Cli, cli } from '../support/cli.ts'
import { ending } from '../support/endings.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'
import { modelEndpoint } from '../support/model-endpoint.ts'

const root = new URL('../..', import.meta.url).pathname
const key = 'sk-ant-this-is-no-real-key'
const session = /<!-- apply -->\n```yaml\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))![1]!

/** The command line of somebody who begins anew, as the README does. */
async function begun(settings: Record<string, string>): Promise<Cli> {
  const made = cli({ ANTHROPIC_API_KEY: key, ...settings })
  const own = { ...made.env, SVC_DATA_DIR: join(made.home, 'data') }
  Object.assign(made.env, own)
  writeFileSync(join(made.home, 'session.yaml'), session)
  expect(await made.program.run('up')).toMatchObject({ code: 0 })
  ending(() => made.program.run('down'))
  const who = ['--name', 'Ada Lovelace', '--email', 'ada@example.com']
  expect(await made.program.pipe('correct horse battery staple', 'init', ...who)).toMatchObject({ code: 0 })
  return made
}

/** Applies the file of the README, and goes on with the session as it stands there. */
async function goOn({ program }: Cli): Promise<void> {
  const answered: string[] = []
  const run = async (...line: string[]) => {
    const ran = await program.run(...line)
    answered.push(ran.stdout, ran.stderr)
    expect(ran, line.join(' ')).toMatchObject({ code: 0 })
    return ran.stdout
  }
  await run('apply', '-f', 'session.yaml', '--from-env', '--yes')
  await run('diff', '-f', 'session.yaml')
  expect(await run('ask', 'grace', 'Write a greeting into hello.txt, please')).toContain(
    'The file hello.txt is in my output folder.',
  )
  expect(await run('files', 'list', 'grace')).toContain('hello.txt')
  expect(JSON.parse(await run('runs', 'list', '--json'))).toMatchObject([{ status: 'COMPLETED' }])
  expect(await run('journal', 'list', '--limit', '5')).toContain('run.completed')
  expect(await run('journal', 'verify')).toContain('chain')
  expect(answered.join('')).not.toContain(key)
}

describe('the session of the README, by muster apply of its one file', { timeout: 120_000 }, () => {
  it('goes through with local processes', async () => {
    const claude = join(root, 'templates/demo/claude-stand-in/claude')
    await goOn(await begun({ SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: claude }))
  })
})

const host = await bridgeAddress()
const missing = engineMissing || (host ? false : 'the Docker engine is on another machine')
leaveOut(missing)

describe.skipIf(missing)('the session of the README in a container', { timeout: 300_000 }, () => {
  it('goes through by muster apply of its one file, with the real client', async () => {
    const model = await modelEndpoint(
      (body) =>
        JSON.stringify(body).includes('tool_result')
          ? { text: 'The file hello.txt is in my output folder.' }
          : { tools: [{ name: 'Bash', input: { command: 'echo Hello > hello.txt' } }] },
      { host: host!, keys: [key] },
    )
    ending(() => model.close())
    const { DOCKER_HOST } = process.env
    const made = await begun({
      ...(DOCKER_HOST && { DOCKER_HOST }),
      SVC_CONTAINER_PROVIDER: 'docker',
      SVC_CONTAINER_PREFIX: 'muster-apply',
      SVC_ANTHROPIC_URL: model.url,
      SVC_ALLOW_PRIVATE_ENDPOINTS: 'true',
    })
    await goOn(made)
    const [{ id }] = JSON.parse((await made.program.run('crews', 'list', '--json')).stdout)
    const labels = (await (await containerOf(id)).inspect()).Config.Labels
    await made.program.run('down')
    await removeInstallation(labels['svc.installation']!)
    expect(JSON.stringify(model.messages)).not.toContain(key)
  })
})
