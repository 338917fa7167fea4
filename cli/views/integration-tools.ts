import type { Static } from 'typebox'
import type { IntegrationTool } from '#contract/integration-tools'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export type Tool = Static<typeof IntegrationTool>

const firstLine = (text: string | null): string | null => text?.trim().split('\n')[0] ?? null

const columns = {
  TOOL: ({ tool_name }: Tool) => tool_name,
  ENABLED: ({ enabled }: Tool) => enabled,
  STATE: ({ state }: Tool) => state,
  WHY: ({ held_for }: Tool) => held_for,
  DESCRIPTION: ({ description }: Tool) => firstLine(description),
  UPDATED: ({ updated_at }: Tool) => age(updated_at),
}
const wide = { ID: ({ id }: Tool) => id }

export const toolView: View<Tool> = {
  name: ({ tool_name }) => tool_name,
  empty: 'No tools of it are known. Next: muster integrations tools NAME --refresh',
  columns,
  wide,
  detail: { ...columns, ...wide },
  below: ({ change }) => change ?? '',
}
