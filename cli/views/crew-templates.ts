import type { Static } from 'typebox'
import type { CrewTemplate, Suggestion } from '#contract/crew-templates'
import { word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Row = Static<typeof CrewTemplate>
type Suggested = Static<typeof Suggestion>

const firstLine = (text: string) => text.split('\n')[0]!

const told = (agents: Suggested['agents']): string =>
  agents
    .map(
      ({ slug, agent_role, role_title, system_prompt }) =>
        `${slug} (${agent_role}): ${role_title}\n  ${firstLine(system_prompt)}`,
    )
    .join('\n')

export const crewTemplateView: View<Row> = {
  name: ({ slug }) => slug,
  columns: {
    NAME: ({ slug }) => slug,
    TITLE: ({ name }) => name,
    CATEGORY: ({ category }) => word(category),
    AGENTS: ({ agents }) => agents.length,
    BUILTIN: ({ is_builtin }) => is_builtin,
  },
  detail: {
    Name: ({ slug }) => slug,
    Title: ({ name }) => name,
    Description: ({ description }) => description,
    Category: ({ category }) => word(category),
    Builtin: ({ is_builtin }) => is_builtin,
    Icon: ({ icon }) => icon,
    Color: ({ color }) => color,
  },
  below: ({ agents }) => told(agents),
}

export const suggestionView: View<Suggested> = {
  name: ({ crew_slug }) => crew_slug,
  columns: { NAME: ({ crew_slug }) => crew_slug, TITLE: ({ crew_name }) => crew_name },
  detail: {
    Name: ({ crew_slug }) => crew_slug,
    Title: ({ crew_name }) => crew_name,
    Description: ({ description }) => description,
  },
  below: ({ agents }) => told(agents),
}
