import { definitionOf, type FactName, facts } from '#contract/entries'
import { JournalEntry } from '#contract/journal'

type Json = Record<string, unknown>

/** Name of the component for any entry, and title of its schema. */
export const entryName = 'JournalEntry'

const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const payloadOf = (fact: string) => `Payload.${fact}`
const entryOf = (type: string) => `${entryName}.${type}`

/** Facts grouped by the entry type that they are stored as: each audit type holds the facts of many entities. */
function factsByType(): Map<string, FactName[]> {
  const byType = new Map<string, FactName[]>()
  for (const name of (Object.keys(facts) as FactName[]).sort()) {
    const { type } = definitionOf(name)
    byType.set(type, [...(byType.get(type) ?? []), name])
  }
  return byType
}

/** Schemas of journal entries: one for each declared entry type, which is the discriminator, and one for the others. */
export function journalSchemas(): Json {
  const byType = factsByType()
  const declared = [...byType.keys()]
  const base = (entry_type: Json, payload: Json = {}) => ({
    allOf: [refTo('JournalEntry.any'), { type: 'object', properties: { entry_type, ...payload } }],
  })
  return {
    ...Object.fromEntries(
      (Object.keys(facts) as FactName[]).sort().map((name) => [payloadOf(name), definitionOf(name).payload]),
    ),
    'JournalEntry.any': { ...JournalEntry, title: undefined },
    ...Object.fromEntries(
      [...byType].map(([type, names]) => {
        const payloads = names.map((name) => refTo(payloadOf(name)))
        const payload = payloads.length === 1 ? payloads[0]! : { anyOf: payloads }
        return [entryOf(type), base({ const: type }, { payload })]
      }),
    ),
    'JournalEntry.other': base({ not: { enum: declared } }),
    [entryName]: { oneOf: [...declared.map((type) => refTo(entryOf(type))), refTo('JournalEntry.other')] },
  }
}
