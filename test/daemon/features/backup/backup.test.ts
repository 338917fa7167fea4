import { expect, it } from 'vitest'
import { daemon } from '#test'

const asks = [
  ['POST', '/admin/backups', { scope: 'instance', no_encrypt: true }],
  ['GET', '/admin/backups', undefined],
  ['GET', '/admin/backups/status', undefined],
  ['GET', '/admin/backups/inspect?path=x', undefined],
  ['GET', '/admin/backups/verify?path=x', undefined],
  ['POST', '/admin/backups/rotate', { keep_last: 1 }],
  ['DELETE', '/admin/backups?path=x', undefined],
] as const

it.each(asks)('%s %s is for ADMIN and OWNER of the first workspace alone', async (method, path, body) => {
  const it = await daemon()
  const refused = { status: 403, body: { code: 'insufficient_role' } }
  expect(await it.call('MANAGER', method, path, body)).toMatchObject(refused)
  expect(await it.call(it.stranger(), method, path, body)).toMatchObject(refused)
  // A server in memory has nothing to back up.
  expect(await it.call('ADMIN', method, path, body)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})
