import { audits } from './define.ts'

export const credentialFacts = {
  ...audits('credential', 'Credential'),
  ...audits('agent_credential', 'Credential assignment'),
}
