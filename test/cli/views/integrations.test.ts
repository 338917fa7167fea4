import { expect, it } from 'vitest'
import { table } from '../../../cli/output/table.ts'
import { painter } from '../../../cli/output/theme.ts'
import { resolvedView } from '../../../cli/views/integrations.ts'

it('what an agent may use says why on a narrow terminal too, before it says where', () => {
  const row = {
    name: 'search',
    transport: 'streamable-http',
    endpoint: 'https://search.example.com/mcp/of/a/team',
    credential_id: null,
    credential_name: null,
    reason: "from crew in place of the workspace's",
  } as Parameters<(typeof resolvedView.columns)['WHY']>[0]
  const { text, left } = table([row], resolvedView.columns, { width: 80, paint: painter(false) })
  expect(text).toContain(row.reason)
  expect(left).toEqual(['PLACE'])
})
