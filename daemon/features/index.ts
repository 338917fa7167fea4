import type { Feature } from '#kernel/feature'
import system from './system/routes.ts'

export const features = { system } satisfies Record<string, Feature>
