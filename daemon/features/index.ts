import type { Feature } from '#kernel/feature'
import agents from './agents/routes.ts'
import bootstrap from './bootstrap/routes.ts'
import crews from './crews/routes.ts'
import members from './members/routes.ts'
import pairing from './pairing/routes.ts'
import runs from './runs/routes.ts'
import system from './system/routes.ts'
import tokens from './tokens/routes.ts'
import users from './users/routes.ts'
import workspaces from './workspaces/routes.ts'

export const features = { agents, bootstrap, crews, members, pairing, runs, system, tokens, users, workspaces } satisfies Record<string, Feature>
