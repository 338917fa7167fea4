import { Compile } from 'typebox/compile'
import { definitionOf, type FactName } from '#contract/entries'
import type { App } from '#kernel/app'

const validators = new Map<FactName, ReturnType<typeof Compile>>()

function validatorOf(name: FactName) {
  const known = validators.get(name)
  if (known) return known
  const made = Compile(definitionOf(name).payload)
  validators.set(name, made)
  return made
}

/** Why this is no payload of that fact; null when it is one. */
export function misfit(name: FactName, payload: unknown): string | null {
  const [error] = validatorOf(name).Errors(payload)
  return error ? `the payload of ${name} does not fit its schema: ${error.instancePath} ${error.message}` : null
}

/** Tells of every recorded fact whose payload is not the declared one, or whose sentence lacks something. */
export function watchFacts({ reactor }: App, tell: (fault: string) => void): void {
  const { happened } = reactor
  reactor.happened = (app, it) => {
    // As it is stored: members that are undefined are left out.
    const fault = misfit(it.name, JSON.parse(JSON.stringify({ ...definitionOf(it.name).fixed, ...it.payload })))
    if (fault) tell(fault)
    for (const { entry } of it.recorded)
      if (/\bundefined\b|\[object /.test(entry.summary)) tell(`the sentence of ${it.name} reads: ${entry.summary}`)
    happened(app, it)
  }
}
