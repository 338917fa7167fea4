import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'
import { cliFor } from '../../support/cli.ts'
import { routines } from '../../support/routines.ts'

async function scene() {
  const place = await routines()
  place.clock.advance(Date.now() - place.clock())
  const event = { id: 'a', type: 'transform', transform: { input: '{{inputs.branch}}', expression: '.' } }
  const inputs = [{ name: 'branch', type: 'string', required: true }]
  await place.save('build', [event], { inputs, outputs: { branch: '{{steps.a.output}}' } })
  const folder = mkdtempSync(join(tmpdir(), 'muster-hook-'))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { run } = await cliFor(place, 'ADMIN')
  return { ...place, file, run }
}

it('webhooks are created, called, changed and deleted', async () => {
  const { run, file, until } = await scene()
  const made = await run('webhooks', 'create', 'push', '--routine', 'build', '--input', 'branch={{event.ref}}')
  expect(made.stderr).toContain('shown this once')
  const [, token, secret] = /^token=(\S+)\nsecret=(\S+)\n$/.exec(made.stdout)!
  const files = ['--token-file', file('token', `${token}\n`), '--secret-file', file('secret', `${secret}\n`)]
  const fire = (...more: string[]) => run('webhooks', 'fire', ...files, ...more, '--json')
  const begun = JSON.parse((await fire('--data', '{"ref":"main"}', '--event-id', 'e1')).stdout)
  expect(begun).toMatchObject({ status: 'PENDING', deduped: false })
  expect((await until(begun.run_id, 'completed')).output).toEqual({ branch: 'main' })
  const again = await run('webhooks', 'fire', ...files, '--data', '{}', '--event-id', 'e1')
  expect(again.stderr).toContain(`The call came before: ${begun.run_id} is its run.`)
  expect((await fire('--data', '{')).stderr).toContain('--data is no JSON')
  const wrong = await run('webhooks', 'fire', ...files.slice(0, 2), '--secret-file', file('wrong', 'x'))
  expect(wrong.stderr).toContain('X-Webhook-Signature is wrong')
  expect((await run('webhooks', 'update', 'push', '--rate', '60', '--name', 'pushed')).stderr).toContain('pushed')
  expect((await run('webhooks', 'disable', 'pushed')).code).toBe(0)
  expect((await fire('--data', '{}')).stderr).toContain('is disabled')
  expect((await run('webhooks', 'enable', 'pushed')).code).toBe(0)
  expect((await run('webhooks', 'list', '-o', 'wide')).stdout).toMatch(/pushed.*build.*60\/min/)
  expect((await run('webhooks', 'remove', 'pushed', '--yes')).code).toBe(0)
  expect((await run('webhooks', 'remove', 'pushed', '--yes')).stderr).toContain('There is no webhook "pushed".')
})

it('waitpoints are completed by their token, once', async () => {
  const { app, workspace, run, file, call, W } = await scene()
  const open = () => {
    const it = { workspace, kind: 'approval', prompt: 'Deploy?', now: app.now() }
    return file('waiting', app.writeNow(() => openWaitpoint(app, it)).token)
  }
  const token = open()
  const done = await run('waitpoints', 'complete', '--token-file', token, '--payload', 'tag=v1')
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('Approved.') })
  expect((await run('waitpoints', 'complete', '--token-file', token)).code).toBe(5)
  const denied = await run('waitpoints', 'complete', '--token-file', open(), '--deny', '-m', 'no')
  expect(denied.stderr).toContain('Denied.')
  expect((await call('MANAGER', 'GET', `${W}/pipelines/waitpoints`)).body).toEqual([])
})

it('muster signal sends an event to a run', async () => {
  const { save, run: asUser, until, call, W } = await scene()
  const wait = { kind: 'event', event_type: 'go' }
  await save('waits', [{ id: 'a', type: 'wait', wait }], { outputs: { tag: '{{steps.a.output.tag}}' } })
  const { run_id } = (await call('MANAGER', 'POST', `${W}/pipelines/waits/run`, {})).body
  expect((await asUser('signal', run_id, 'go', '--payload', 'tag=v1')).code).toBe(0)
  expect((await until(run_id, 'completed')).output).toEqual({ tag: 'v1' })
})
