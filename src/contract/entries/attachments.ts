import { audits } from './define.ts'
import { quoted } from './quote.ts'

export const attachmentFacts = audits('attachment', 'File', quoted)
