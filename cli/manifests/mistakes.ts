import { ProblemError } from '#client'
import { InputError } from '../input.ts'
import { type Path, placeOf } from './positions.ts'
import type { Manifest } from './reading.ts'

/** All mistakes of files, each with its place. */
export class Mistakes extends InputError {
  /** What programs read. */
  readonly places: readonly string[]

  constructor(places: readonly string[]) {
    const many = places.length === 1 ? 'There is a mistake' : `There are ${places.length} mistakes`
    super(`${many}; nothing was changed.\n${places.join('\n')}`)
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
    throw new Mistakes(
      told.map(({ document, path, detail }) => `${placeOf(manifests[document]!.source, path)}: ${detail}`),
    )
  }
}

const mistakesOf = ({ problem }: ProblemError): Told[] => (problem as { mistakes?: Told[] }).mistakes ?? []
