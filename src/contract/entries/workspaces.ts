import { audits } from './define.ts'

export const workspaceFacts = audits('workspace', 'Workspace')
