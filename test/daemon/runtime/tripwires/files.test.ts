import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { decoysOf, recordTrip } from '../../../../daemon/features/tripwires/service.ts'
import { placeDecoys } from '../../../../daemon/runtime/tripwires/files.ts'
import { closing } from '../../../support/index.ts'
import { workplace } from '../../../support/runs.ts'

it('decoy files are written where nothing is, follow their value, and go with their tripwire', async () => {
  const it = await workplace()
  const root = mkdtempSync(join(tmpdir(), 'muster-decoys-'))
  closing({ close: () => rmSync(root, { recursive: true, force: true }) })
  const agent = { agentId: it.agentId, slug: 'ada', uid: 20_001 } as never
  Object.assign(it.runtime, {
    places: () => ({ home: root }),
    async command(_crew: string, _agent: unknown, { argv, stdin }: { argv: string[]; stdin: Buffer }) {
      const { status, stdout, stderr } = spawnSync(process.execPath, argv.slice(1), { input: stdin, encoding: 'utf8' })
      return { code: status!, stdout, stderr }
    },
  })
  const path = `/crews/${it.crewId}/tripwires`
  const plant = async (name: string) => (await it.call('OWNER', 'POST', path, { kind: 'file', name })).body.id as string
  const place = () => placeDecoys(it.app, it.runtime, it.crewId, agent)
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  const value = (id: string) => decoysOf(it.app, it.crewId).find((decoy) => decoy.id === id)!.value

  writeFileSync(join(root, '.env'), 'mine')
  const [aws, own] = [await plant('.aws/credentials'), await plant('.env')]
  await place()
  expect(read('.aws/credentials')).toContain(`aws_secret_access_key = ${value(aws)}`)
  expect(read('.env')).toBe('mine')

  const touch = { crewId: it.crewId, tripwireId: aws, agentId: null, runId: null, place: 'output', detail: '' } as const
  await it.app.write(() => recordTrip(it.app, { ...touch, events: [] }))
  const before = value(aws)
  expect((await it.call('OWNER', 'POST', `${path}/${aws}/rearm`)).status).toBe(200)
  await place()
  expect(read('.aws/credentials')).toContain(value(aws))
  expect(read('.aws/credentials')).not.toContain(before)

  for (const id of [aws, own]) await it.call('OWNER', 'DELETE', `${path}/${id}`)
  await place()
  expect(existsSync(join(root, '.aws/credentials'))).toBe(false)
  expect(read('.env')).toBe('mine')
})
