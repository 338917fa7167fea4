import { describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { office } from '../../support/ports.ts'

describe('muster ports', () => {
  it('lists what is open, and closes it', async () => {
    const it = await office()
    const { run } = await cliFor(it, 'MANAGER')
    expect(await run('ports', 'list', 'backend')).toMatchObject({ code: 0, stdout: '' })
    const { body } = await it.expose({ description: 'the shop' })
    expect((await run('ports', 'list', 'backend')).stdout).toMatch(
      new RegExp(`^${body.id}\tada\t3000\tACTIVE\t.*\tthe shop\t2026-.*\n$`),
    )
    expect((await run('ports', 'list', 'backend', '--json', '--status', 'all')).stdout).not.toContain(body.token)
    expect(await run('ports', 'revoke', 'backend', body.id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await run('ports', 'revoke', 'backend', body.id, '--reason', 'enough', '-y')).toMatchObject({ code: 0 })
    expect(await run('expose', 'list', 'backend')).toMatchObject({ code: 0, stdout: '' })
    expect(
      JSON.parse((await run('ports', 'list', 'backend', '--status', 'revoked', '--json=id,revoked_reason')).stdout),
    ).toEqual([{ id: body.id, revoked_reason: 'enough' }])
    const again = await run('ports', 'revoke', 'backend', body.id, '-y')
    expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('Next: muster ports list') })
    expect(await run('ports', 'list', 'backend', '--status', 'pending')).toMatchObject({ code: 2 })
    expect(await run('ports', 'list', 'nobody')).toMatchObject({ code: 3 })
  })
})
