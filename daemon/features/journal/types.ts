import { definitionOf, type FactName, facts, reserved, type Severity } from '#contract/entries'

interface Row {
  name: string
  entry_type: string
  severity: Severity
  entity_type?: string
  recorded: boolean
  payload?: Record<string, unknown>
}

function declared(name: FactName): Row {
  const { type, severity, fixed, payload } = definitionOf(name)
  const entity_type = fixed?.['entity_type']
  return {
    name,
    entry_type: type,
    severity,
    ...(entity_type !== undefined && { entity_type }),
    recorded: true,
    // Schemas carry symbols for the type system; answers do not.
    payload: JSON.parse(JSON.stringify(payload)) as Record<string, unknown>,
  }
}

/** Every fact that is recorded, by name, and then the entry types that are reserved. */
export const types: readonly Row[] = [
  ...(Object.keys(facts) as FactName[]).sort().map(declared),
  ...Object.entries(reserved).map(([type, severity]) => ({ name: type, entry_type: type, severity, recorded: false })),
]
