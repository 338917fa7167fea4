import type { VendorSetting } from '#kernel/settings'

export const command: VendorSetting = {
  path: 'process.droid_command',
  env: 'SVC_DROID_COMMAND',
  kind: 'string',
  fallback: 'droid',
  summary: 'Program of FACTORY_DROID agents in the process runtime',
}
