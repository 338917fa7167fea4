import { describe, expect, it } from 'vitest'
import { nestsDeeper } from '#kernel/http/json-depth'
import { daemon } from '#test'

const nested = (deep: number) => '['.repeat(deep) + ']'.repeat(deep)

describe('the depth of JSON', () => {
  it.each([
    [nested(3), 3, false],
    [nested(4), 3, true],
    ['{"a":{"b":[{}]}}', 4, false],
    ['{"a":{"b":[{}]}}', 3, true],
    [`["${'['.repeat(50)}","\\"[[[[","\\\\"]`, 2, false],
    [`[${'[],'.repeat(50)}[]]`, 2, false],
    [`[${'[],'.repeat(50)}[[]]]`, 2, true],
    ['[[[[', 3, false],
    ['[[[[[[[[', 3, true],
    ['"unfinished', 1, false],
  ])('%j is deeper than %i: %s', (json, most, expected) => expect(nestsDeeper(json, most)).toBe(expected))
})

describe('a body', () => {
  it.each([101, 5000, 250_000])('that is nested %i levels deep is refused, wherever that is', async (deep) => {
    const { call } = await daemon({ shared: true })
    for (const path of ['/auth/cli-token', '/crews'])
      expect(await call('OWNER', 'POST', path, `{"name":"a","surplus":${nested(deep - 1)}}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_json', detail: 'The body is nested more than 100 levels deep' },
      })
  })

  it('may be nested 100 levels deep', async () => {
    const { call } = await daemon({ shared: true })
    expect((await call('OWNER', 'POST', '/auth/cli-token', `{"name":"a","surplus":${nested(99)}}`)).status).toBe(200)
  })
})
