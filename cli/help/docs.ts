import type { Registry } from '../main.ts'

/** The page of the documentation that has this command or noun: one for each first word. */
export const pageOf = (id: string, { docs }: Pick<Registry, 'docs'>): string => `${docs}/${id.split(':')[0]}.md`
