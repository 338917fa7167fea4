import { describe, expect, it } from 'vitest'
import { cliFor } from '../../support/cli.ts'
import { eventually } from '../../support/eyes.ts'
import { crewWithLead, mission, pathOf, says, start } from '../../support/missions.ts'

const size = { cols: 60, rows: 12 }

/** A mission of two tasks, whose title is wider than the terminal. */
async function place() {
  const it = await crewWithLead({ level: 'guided' })
  const tasks = [
    { key: 'a', title: 'Look', assigned_agent_id: it.bob },
    { key: 'b', title: 'Write', depends_on: ['a'] },
  ]
  const id = await mission(it, tasks, { title: '漢字'.repeat(40) })
  await start(it, id)
  return { it, id, muster: await cliFor(it, 'MANAGER') }
}

describe('muster missions watch', () => {
  it('draws the tree anew in its place at a terminal, until a person has to look', async () => {
    const { it, id, muster } = await place()
    const terminal = muster.terminal(['missions', 'watch', id], { ...size, env: { NO_COLOR: '1' } })
    const sees = (...starts: string[]) =>
      eventually(terminal, (lines) => starts.every((text, at) => lines[at + 1]?.startsWith(text)), size)
    await sees('▸ 1 Look  in progress', '  · 2 Write  pending  @ada')
    await says(it, id, 'Look', 'seen')
    await sees('✓ 1 Look  completed', '  ▸ 2 Write  in progress')
    await says(it, id, 'Write', 'written')
    await sees('✓ 1 Look  completed', '  ✓ 2 Write  completed')
    expect(await terminal.ended).toBe(0)
  })

  it('writes a line for each change elsewhere', async () => {
    const { it, id, muster } = await place()
    expect((await it.call('OWNER', 'PATCH', pathOf(it, id), { status: 'CANCELLED' })).status).toBe(200)
    const { stdout } = await muster.run('missions', 'watch', id)
    expect(stdout.split('\n').slice(1)).toEqual(['1\tLook\tCANCELLED\tbob', '2\tWrite\tPENDING\tLEAD', ''])
  })
})
