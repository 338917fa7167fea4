import type { Feature } from '#kernel/feature'
import crews from './crews/routes.ts'
import system from './system/routes.ts'

export const features = { crews, system } satisfies Record<string, Feature>
