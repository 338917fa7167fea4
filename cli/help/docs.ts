import type { Registry } from '../main.ts'

type Place = Pick<Registry, 'docs'>

/** The page of the documentation that has this command or noun: one for each first word. */
export const pageOf = (id: string, { docs }: Place): string => `${docs}/${id.split(':')[0]}.md`

/** A page of the documentation, named below its folder. */
export const linkTo = (page: string, { docs }: Place): string => `${docs.replace(/\/cli$/, '')}/${page}`
