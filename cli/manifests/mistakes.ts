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

/** A thing that is told of a document, with its place in the file. */
export const placeIn = (manifests: readonly Manifest[], { document, path, detail }: Told): string =>
  `${placeOf(manifests[document]!.source, path)}: ${detail}`

/** Tells the mistakes that the service found by their places in files. */
export async function placed<T>(manifests: readonly Manifest[], work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const told = error instanceof ProblemError ? mistakesOf(error) : []
    if (!told.length) throw error
    const { problem, requestId } = error as ProblemError
    const places = inOrder(manifests, told).map((it) => placeIn(manifests, it))
    if (problem.code === 'manifest_invalid') throw new Mistakes(places, (problem as { count?: number }).count)
    const detail = `Nothing was changed.\n${places.join('\n')}`
    throw new ProblemError({ ...problem, detail }, { ...(requestId !== undefined && { requestId }) })
  }
}

const mistakesOf = ({ problem }: ProblemError): Told[] => (problem as { mistakes?: Told[] }).mistakes ?? []

/** In the order of the files. */
function inOrder(manifests: readonly Manifest[], told: readonly Told[]): Told[] {
  const start = ({ document, path }: Told) => startOf(manifests[document]!.source, path)
  return told.toSorted((a, b) => a.document - b.document || start(a) - start(b))
}
