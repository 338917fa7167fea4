import { agents } from './agents.ts'
import { crews } from './crews.ts'
import type { Endpoint } from './define.ts'
import { runs } from './runs.ts'
import { system } from './system.ts'

export const api = { agents, crews, runs, system }
export type Api = typeof api

/** Every endpoint with its name, as `crews.create`. */
export const endpoints: { name: string; feature: string; op: string; endpoint: Endpoint }[] = Object.entries(api).flatMap(([feature, ops]) =>
  Object.entries(ops as Record<string, Endpoint>).map(([op, endpoint]) => ({ name: `${feature}.${op}`, feature, op, endpoint })),
)
