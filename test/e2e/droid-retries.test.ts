import { afterEach, describe, expect, it } from 'vitest'
import { droid } from '../../daemon/runtime/adapters/droid/index.ts'
import { fetchClient } from '../support/agent-client.ts'
import { clientScene, closeScenes } from '../support/client-suite.ts'
import { leaveOut } from '../support/leave-out.ts'
import { modelEndpoint } from '../support/model-endpoint.ts'

const { bin, missing } = fetchClient('droid')
leaveOut(missing)

const dialect = {
  adapter: droid,
  client: 'droid',
  provider: 'ANTHROPIC' as const,
  model: 'claude-sonnet-4-6',
  endpoint: modelEndpoint,
  shell: () => ({ name: '', input: {} }),
  mcpTool: () => ({ name: '', input: {} }),
  told: () => '',
  statuses: [],
}

// In a file of its own, since the client waits for minutes, and nothing makes it wait less.
describe.skipIf(missing)('droid from the npm registry', () => {
  afterEach(closeScenes)

  it('asks up to ten times before it tells of overload or a spent quota', { timeout: 500_000 }, async () => {
    const kindOf = async (status: number) => {
      const { endpoint, run } = await clientScene(dialect, bin!, [{ status }])
      const { verdict } = await run()
      return [status, verdict.kind, endpoint.messages.length]
    }
    expect(await Promise.all([529, 500, 429].map(kindOf))).toEqual([
      [529, 'overloaded', 10],
      [500, 'overloaded', 10],
      [429, 'quota', 5],
    ])
  })
})
