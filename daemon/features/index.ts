import type { Feature } from '#kernel/feature'
import agents from './agents/routes.ts'
import crews from './crews/routes.ts'
import runs from './runs/routes.ts'
import system from './system/routes.ts'

export const features = { agents, crews, runs, system } satisfies Record<string, Feature>
