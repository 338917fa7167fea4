import { audits } from './define.ts'
import { quoted } from './quote.ts'

/** Templates of notifications, called by their category. docs/notifications.md. */
export const templateFacts = audits('notification_template', 'The template of notifications', quoted)

/** Crew templates, called by their slug. docs/templates.md. */
export const crewTemplateFacts = audits('crew_template', 'Crew template', quoted)
