import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchClient } from '../support/agent-client.ts'
import { cli } from '../support/cli.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// The nightly update of dependencies that comes with Muster, with the client of a vendor: from the template to the
// merge, by the command line, with a person's approval at a terminal and a daemon that is killed.

const host = await bridgeAddress()
const noContainers =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
const client = fetchClient('claude')
leaveOut(noContainers || client.missing)

const git = 'git -c user.name=Ada -c user.email=ada@example.com'
const update = `mkdir -p project && cd project && git init -q -b main . && echo '{"a":"1"}' > package.json &&
  git add . && ${git} commit -qm first && git checkout -qb update && echo '{"a":"2"}' > package.json &&
  ${git} commit -qam update`
const merge = 'cd project && git checkout -q main && git merge -q update && cat package.json'
const report = '{"branch":"update","changed":["a 1 -> 2"],"tests_passed":true,"summary":"One package is newer."}'

const bash = (command: string): ScriptedTurn => ({ text: 'I work.', tools: [{ name: 'Bash', input: { command } }] })

/** Works with one command, then answers as the step of the routine asks. */
function script({ messages }: MessagesBody): ScriptedTurn {
  const told = messages.map(({ content }) => JSON.stringify(content))
  const at = told.findLastIndex((text) => /Update the dependencies|has approved the update/.test(text))
  const result = told.slice(at + 1).find((text) => text.includes('tool_result'))
  if (told[at]?.includes('Update the dependencies')) return result ? { text: report } : bash(update)
  return result ? { text: `Merged: ${result.includes('2') ? 'a is 2' : result}` } : bash(merge)
}

describe.each([
  ['a local process', '127.0.0.1', client.missing as string | false],
  ['a container', host!, noContainers],
])('the nightly update in %s', { timeout: 200_000 }, (kind, address, missing) => {
  let model: ModelEndpoint
  let daemon: Installation
  let scratch = ''
  let installation = ''
  let environment: Record<string, string>

  const contained = kind === 'a container'
  const muster = async (...args: string[]) => {
    const ran = await cli(environment).run(...args)
    expect(ran.code, `${ran.stdout}${ran.stderr}`).toBe(0)
    return ran.stdout
  }

  describe.skipIf(missing)('is done', () => {
    beforeAll(async () => {
      model = await modelEndpoint(script, { host: address })
      scratch = mkdtempSync(join(tmpdir(), 'muster-update-'))
      const program = join(scratch, 'claude')
      writeFileSync(program, `#!/bin/sh\nexport IS_SANDBOX=1\nexec ${client.bin}/claude "$@"\n`, { mode: 0o755 })
      const local = { SVC_CONTAINER_PROVIDER: 'process', SVC_CLAUDE_COMMAND: program }
      const inside = { SVC_CONTAINER_PREFIX: 'muster-update', SVC_CONTAINER_MEMORY_MB: '2048' }
      daemon = await install({ SVC_ANTHROPIC_URL: model.url, ...(contained ? inside : local) })
      const api = daemon.client
      const { id: crewId } = await api.crews.create({ body: { name: 'Works', slug: 'works' } })
      await api.credentials.create({
        body: { name: 'key', value: 'sk-ant-api03-update', type: 'API_KEY', provider: 'ANTHROPIC' },
      })
      await api.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })
      await api.crews.start({ crewId })
      if (contained) installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
      const { token } = await api.tokens.create({ body: { name: 'command line' } })
      const { id: workspace } = (await api.workspaces.list({ query: {} }))[0]!
      environment = { SVC_DATA_DIR: daemon.dataDir, SVC_TOKEN: token, SVC_WORKSPACE: workspace }
    })
    afterAll(async () => {
      await daemon?.remove()
      await model?.close()
      rmSync(scratch, { recursive: true, force: true })
      if (installation) await removeInstallation(installation)
    })

    it('once a person has approved it at a terminal, through a daemon that is killed', async () => {
      const file = join(scratch, 'update.yaml')
      await muster('routines', 'init', 'update', '--template', 'nightly-update', '--file', file)
      await muster('routines', 'save', file, '--crew', 'works')
      const input = ['--input', 'folder=project']
      const watching = cli(environment).terminal(['routines', 'run', 'update', '--watch', ...input])
      await watching.until(/approval\s.*waiting/)
      watching.kill()
      await daemon.kill()
      await daemon.start()
      const waiting = JSON.parse(await muster('waitpoints', 'list', '--json'))
      expect(waiting).toMatchObject([{ prompt: expect.stringContaining('One package is newer.') }])
      const { pipeline_run_id: run, id } = waiting[0]
      const again = cli(environment).terminal(['routines', 'watch', run])
      await again.until(/approval\s.*waiting/)
      const person = cli(environment).terminal(['approve', id, '--comment', 'fine'])
      expect(await person.ended, person.text()).toBe(0)
      expect(await again.ended, again.text()).toBe(0)
      const ended = JSON.parse(await muster('routines', 'result', run, '--json'))
      expect(ended).toMatchObject({ status: 'completed', step_outputs: { keep: 'Merged: a is 2' } })
      expect(await muster('inbox', 'list')).toContain('Dependencies: One package is newer.')
      const tree = await muster('runs', 'tree', run, '-o', 'table')
      expect(tree).toMatch(/├ update {2}completed.*\n│ └ @ada {2}completed/)
      expect(tree).toMatch(/├ keep {2}completed.*\n│ └ @ada {2}completed/)
    })
  })
})
