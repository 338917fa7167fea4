import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { operations } from '#client/locate'
import { endpoints } from '#contract'
import { urlOf } from '#contract/define'

const script = (name: string) => new URL(`../../build/${name}.mjs`, import.meta.url).pathname

it('has the method and path of every endpoint', () => {
  const listed = Object.entries(operations).flatMap(([feature, ops]) =>
    Object.entries(ops).map(([name, [method, path]]) => `${feature}.${name} ${method} ${path}`),
  )
  expect(listed).toEqual(endpoints.map(({ name, endpoint }) => `${name} ${endpoint.method} ${urlOf(endpoint)}`))
})

it.each(['operations', 'entry-types', 'words'])('is what `npm run operations` writes (%s)', (name) => {
  const { status, stderr } = spawnSync(process.execPath, [script(name), '--check'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
