import type { BuiltInTemplate } from '#contract/crew-templates'
import { business } from './built-in/business.ts'
import { engineering } from './built-in/engineering.ts'
import { operations } from './built-in/operations.ts'
import type { Lead, Template } from './types.ts'

export type { Template } from './types.ts'

const builtIn: Record<BuiltInTemplate, { name: string; lead: Lead }> = { ...engineering, ...operations, ...business }

/** The crew template of that slug. */
export const templateOf = (slug: string): Template | undefined =>
  Object.hasOwn(builtIn, slug) ? { slug, ...builtIn[slug as BuiltInTemplate] } : undefined
