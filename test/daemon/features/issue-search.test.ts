import { expect, it } from 'vitest'
import { issuesOf } from '../../support/issues.ts'
import { workplace } from '../../support/runs.ts'

const titles = ['Login fails', 'The LOGIN page', '100% of it', 'snake_case', 'Ünïted', 'back\\slash', 'ab']

it.each([
  ['login', ['The LOGIN page', 'Login fails']],
  ['ogin f', ['Login fails']],
  ['0%', ['100% of it']],
  ['%', ['100% of it']],
  ['_', ['snake_case']],
  ['e_c', ['snake_case']],
  ['k\\s', ['back\\slash']],
  ['nïted', ['Ünïted']],
  ['b', ['ab', 'back\\slash']],
  ['"', []],
  ['zebra', []],
  ['a'.repeat(200), []],
])('a search for %j finds parts of titles, newest first', async (search, found) => {
  const it = issuesOf(await workplace())
  for (const title of titles) await it.open({ title })
  const { body } = await it.call('VIEWER', 'GET', `/issues?search=${encodeURIComponent(search)}`)
  expect(body.map(({ title }: { title: string }) => title)).toEqual(found)
})

it('a search follows changes of titles and deletions', async () => {
  const it = issuesOf(await workplace())
  const one = await it.open({ title: 'Mend the door' })
  const found = async (search: string) =>
    (await it.call('VIEWER', 'GET', `/issues?search=${search}`)).body.map(
      ({ identifier }: { identifier: string }) => identifier,
    )
  expect(await found('door')).toEqual([one])
  await it.change(one, { title: 'Mend the roof' })
  expect([await found('door'), await found('roof')]).toEqual([[], [one]])
  await it.call('OWNER', 'DELETE', `${it.path}/${one}`)
  expect(await found('roof')).toEqual([])
})
