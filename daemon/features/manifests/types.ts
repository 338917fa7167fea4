import type { KindName } from '#contract/manifest-kinds'

export type Members = Record<string, unknown>
export type Path = (string | number)[]

/** Something that a document says of one thing. */
export interface Resource {
  kind: KindName
  /** What it is called by within its kind. */
  name: string
  document: number
  /** Where its name and each member stand in the document. */
  nameAt: Path
  paths: Readonly<Record<string, Path>>
  /** The members that the document names. */
  members: Members
  /** It is made where there is none, and otherwise left as it is. */
  asFound?: true
  /** A recipe brings it. */
  ofRecipe?: true
}

/** A thing as it is stored. */
export interface Stored {
  id: string
  name: string
  members: Members
  /** It is over: left as it is, and not exported. */
  settled?: boolean
}

export interface Flaw {
  document: number
  path: Path
  detail: string
}

export interface Action {
  action: 'create' | 'change' | 'destroy'
  kind: KindName
  name: string
  resource: Resource | null
  stored: Stored | null
  /** What is asked for: all that is named of a new thing, what differs of another. */
  members: Members
}
