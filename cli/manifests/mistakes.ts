import { ProblemError } from '#client'
import { InputError } from '../input.ts'
import { type Path, placeOf, startOf } from './positions.ts'
import type { Manifest } from './reading.ts'

/** All mistakes of files, each with its place. */
export class Mistakes extends InputError {
  /** What programs read. */
  readonly places: readonly string[]

  /** `count` is how many there are where not all of them are told. */
  constructor(places: readonly string[], count = places.length) {
    const many = count === 1 ? 'There is a mistake' : `There are ${count} mistakes`
    const told = count > places.length ? `, of which these are the first ${places.length}` : ''
    super(`${many}; nothing was changed${told}.\n${places.join('\n')}`)
    this.places = places
  }
}

interface Told {
  document: number
  path: Path
  detail: string
}

/** Tells the mistakes that the service found by their places in files. */
export async function placed<T>(manifests: readonly Manifest[], work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const told = error instanceof ProblemError && error.problem.code === 'manifest_invalid' ? mistakesOf(error) : []
    if (!told.length) throw error
    const source = ({ document }: Told) => manifests[document]!.source
    const inOrder = told.toSorted(
      (a, b) => a.document - b.document || startOf(source(a), a.path) - startOf(source(b), b.path),
    )
    throw new Mistakes(
      inOrder.map((it) => `${placeOf(source(it), it.path)}: ${it.detail}`),
      (error as ProblemError & { problem: { count?: number } }).problem.count,
    )
  }
}

const mistakesOf = ({ problem }: ProblemError): Told[] => (problem as { mistakes?: Told[] }).mistakes ?? []
