import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { urlOf } from '#contract/define'
import { isReserved, reserved } from '#contract/reserved'
import { daemon } from '#test'

const paths = endpoints.map(({ endpoint }) => urlOf(endpoint))
const fits = (pattern: string, path: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path)

describe('addresses of endpoints to come', () => {
  it('are given up once there is the endpoint, and stand for nothing else', () => {
    expect(paths.filter(isReserved)).toEqual([])
    expect(reserved.filter((path) => !paths.some((pattern) => fits(pattern, path)))).toEqual([])
  })

  it.each(reserved)('%s is unknown, whatever the method', async (path) => {
    const { call } = await daemon()
    const unknown = (await call('OWNER', 'GET', '/nowhere/at-all')).body
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const) {
      const { status, body } = await call('OWNER', method, path.replace('/api/v1', ''), {})
      expect({ status, code: body.code, detail: body.detail }).toEqual({
        status: 404,
        code: 'not_found',
        detail: unknown.detail,
      })
    }
  })
})
