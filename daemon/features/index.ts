import type { Feature } from '#kernel/feature'
import crews from './crews/routes.ts'
import runs from './runs/routes.ts'
import system from './system/routes.ts'

export const features = { crews, runs, system } satisfies Record<string, Feature>
