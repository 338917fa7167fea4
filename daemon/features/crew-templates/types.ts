import type { Static } from 'typebox'
import type { CrewTemplate } from '#contract/crew-templates'

export type Template = Static<typeof CrewTemplate>
export type TemplateAgent = Template['agents'][number]
