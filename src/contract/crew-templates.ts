/** Crews that can be made, and hired from, without anything being written down first. */
export const builtInTemplates = [
  'software-development',
  'content-marketing',
  'devops-sre',
  'research-analysis',
  'customer-support',
  'accounting-finance',
  'saas-product-squad',
  'mobile-app-development',
  'data-engineering',
  'api-integrations',
  'security-audit',
  'documentation-team',
] as const
export type BuiltInTemplate = (typeof builtInTemplates)[number]
