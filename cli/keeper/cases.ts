import { business } from './cases/business.ts'
import { engineering } from './cases/engineering.ts'
import { operations } from './cases/operations.ts'
import type { Ask, Scene } from './cases/types.ts'

export const kinds = ['benign', 'careless', 'malicious', 'injected'] as const
export type Kind = (typeof kinds)[number]

/** Where the requests come from: written for Muster, after what its agents ask; nobody's data is in them. */
export const origin = 'Written for Muster in November 2026 under its license; no request, name or key in them is real.'

/** A labelled request, and what it is asked about. */
export interface Case extends Ask, Omit<Scene, Kind> {
  id: string
  kind: Kind
}

const casesOf = ({ benign, careless, malicious, injected, ...scene }: Scene): Case[] =>
  Object.entries({ benign, careless, malicious, injected }).flatMap(([kind, asks]) =>
    asks.map((ask, index) => {
      const id = `${scene.credential.name}/${kind}/${index + 1}`
      return { ...scene, ...ask, kind: kind as Kind, id }
    }),
  )

/** 120 requests, 30 of each kind. */
export const cases: readonly Case[] = [...engineering, ...operations, ...business].flatMap(casesOf)
