import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { daemon } from '#test'
import { cliFor } from '../../support/cli.ts'

async function scene() {
  const place = await daemon()
  place.clock.advance(Date.now() - place.clock())
  const crew = await place.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })
  await place.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id: crew.body.id })
  return { ...place, ...(await cliFor(place, 'OWNER')) }
}

it('memory is written, shown, compared, restored and removed', async () => {
  const { run, pipe } = await scene()
  expect((await run('memory', 'append', 'ada', 'Deploy on Tuesdays.')).stderr).toContain('agent:ada/AGENT.md')
  const shown = await run('memory', 'show', 'ada')
  expect(shown.stdout).toMatch(/^Length\t\d+ of 4000 bytes$/m)
  expect(shown.stdout).toMatch(/^Written\t\d{4}-\d\d-\d\dT/m)
  expect(shown.stdout).toContain('Deploy on Tuesdays.')
  const { sha256 } = JSON.parse((await run('memory', 'show', 'ada', '--json')).stdout)
  expect((await pipe('Deploy on Fridays.\n', 'memory', 'edit', 'ada', '--content', '-')).code).toBe(0)
  const diff = (await run('memory', 'diff', 'ada')).stdout
  expect(diff).toContain('-Deploy on Tuesdays.')
  expect(diff).toContain('+Deploy on Fridays.')
  const versions = (await run('memory', 'versions', 'ada')).stdout.trim().split('\n')
  expect(versions).toHaveLength(2)
  expect(versions[1]).toContain(sha256.slice(0, 12))
  expect((await run('memory', 'restore', 'ada', sha256.slice(0, 12))).code).toBe(0)
  expect((await run('memory', 'show', 'ada')).stdout).toContain('Deploy on Tuesdays.')
  expect((await run('memory', 'list', 'ada')).stdout).toContain('agent:ada/AGENT.md')
  expect((await run('memory', 'remove', 'ada', '--yes')).code).toBe(0)
  const gone = await run('memory', 'show', 'ada')
  expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no memory agent:ada/AGENT.md') })
})

it('memory that holds a secret is refused, and says what to leave out', async () => {
  const { run } = await scene()
  const key = `sk-ant-api03-${'a1B2'.repeat(10)}`
  const refused = await run('memory', 'append', 'ada', `The key is ${key}`)
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).not.toContain(key)
  expect(refused.stderr).toContain('Next: leave out what the message names')
  expect((await run('memory', 'show', 'ada')).code).toBe(3)
})

it('memory is searched, and told of as a whole', async () => {
  const { run } = await scene()
  await run('memory', 'append', 'crew:web', 'The staging host is blue.')
  const found = await run('memory', 'search', 'staging', '--agent', 'ada')
  expect(found.stdout).toMatch(/crew:\S*CREW\.md.*The staging host is blue\./)
  expect((await run('memory', 'search', 'production', '--agent', 'ada')).stdout).toBe('')
  expect((await run('memory', 'health', 'web')).code).toBe(0)
  expect((await run('memory', 'stats')).code).toBe(0)
  expect((await run('memory', 'history')).stdout).toContain('CREW.md')
  expect((await run('memory', 'config')).code).toBe(0)
})

it('memory is exported and imported', async () => {
  const { run, home } = await scene()
  await run('memory', 'append', 'ada', 'Known by heart.')
  const archive = join(home, 'web.zip')
  expect((await run('memory', 'export', 'web', '--to', archive)).code).toBe(0)
  expect(readFileSync(archive).subarray(0, 2).toString()).toBe('PK')
  const again = await run('memory', 'export', 'web', '--to', archive)
  expect(again.stderr).toContain('--force')
  mkdirSync(join(home, 'notes'))
  writeFileSync(join(home, 'notes', 'AGENT.md'), 'Learned elsewhere.\n')
  expect((await run('memory', 'import', 'ada', join(home, 'notes'))).stderr).toContain('Wrote 1 files')
  expect((await run('memory', 'show', 'ada')).stdout).toContain('Learned elsewhere.')
})
