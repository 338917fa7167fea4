import type { VendorSetting } from '#kernel/settings'

export const command: VendorSetting = {
  path: 'process.claude_command',
  env: 'SVC_CLAUDE_COMMAND',
  kind: 'string',
  fallback: 'claude',
  summary: 'Program of CLAUDE_CODE agents in the process runtime',
}
