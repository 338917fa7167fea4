import type { VendorSetting } from '#kernel/settings'

export const command: VendorSetting = {
  path: 'process.gemini_command',
  env: 'SVC_GEMINI_COMMAND',
  kind: 'string',
  fallback: 'gemini',
  summary: 'Program of GEMINI_CLI agents in the process runtime',
}
