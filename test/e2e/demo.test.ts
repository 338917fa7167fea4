import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { engineMissing } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'muster-demo-test-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

function demo(env: Record<string, string>) {
  const { pid, status, stdout, stderr } = spawnSync(process.execPath, ['scripts/demo.mjs'], {
    cwd: root,
    env: { ...process.env, TMPDIR: scratch, ...env },
    encoding: 'utf8',
    timeout: 110_000,
  })
  return { pid, status, stdout, all: stdout + stderr }
}

function expectMainJob({ status, stdout, all }: ReturnType<typeof demo>) {
  expect(status, all).toBe(0)
  expect(stdout).toContain('scripted stand-ins')
  expect(stdout).toContain('I am a scripted stand-in: no model reads what you write')
  expect(stdout, 'the file that a tool wrote').toMatch(/^hello\.txt\t\d+\t/m)
  expect(stdout, 'a pairing code').toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/m)
  expect(all).toContain('The device is signed in')
  expect(stdout.match(/\trun\.completed\t/g), 'the journal has both runs').toHaveLength(2)
  expect(stdout).toMatch(/Journal\tvalid/)
  expect(all).not.toContain('sk-ant-this-is-no-real-key')
  expect(readdirSync(scratch), 'nothing is left').toEqual([])
}

describe('npm run demo', () => {
  it('shows the main job with local processes, and says what that means', () => {
    const shown = demo({ DOCKER_HOST: 'unix:///nonexistent/docker.sock' })
    expect(shown.stdout).toContain('Runtime: local processes, because no Docker engine answers.')
    expect(shown.stdout).toContain('Local processes isolate nothing')
    expectMainJob(shown)
  })
})

leaveOut(engineMissing)
describe.skipIf(engineMissing)('npm run demo with an engine', () => {
  it('shows the main job in a container, and leaves none behind', () => {
    const shown = demo({})
    expect(shown.stdout).toContain('Runtime: Docker.')
    expectMainJob(shown)
    expect(leftovers(shown.pid)).toEqual([])
  })
})

/** Containers, volumes and networks of the demo that ran as this process. */
const leftovers = (pid: number) =>
  [
    ['ps', '-a', '--format', '{{.Names}}'],
    ['volume', 'ls', '--format', '{{.Name}}'],
    ['network', 'ls', '--format', '{{.Name}}'],
  ]
    .flatMap((question) => spawnSync('docker', question, { encoding: 'utf8' }).stdout.split('\n'))
    .filter((name) => name.startsWith(`muster-demo-${pid}-`))
