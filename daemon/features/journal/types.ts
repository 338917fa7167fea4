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
    // Drops the symbols that schemas carry for the type system.
    payload: JSON.parse(JSON.stringify(payload)) as Record<string, unknown>,
  }
}

/** All facts, by name, followed by the reserved entry types. */
export const types: readonly Row[] = [
  ...(Object.keys(facts) as FactName[]).sort().map(declared),
  ...Object.entries(reserved).map(([type, severity]) => ({ name: type, entry_type: type, severity, recorded: false })),
]
