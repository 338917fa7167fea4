import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { definitionOf, type FactName, facts, type Names, reserved } from '#contract/entries'
import { auditOf } from '#kernel/dispatch'
import { daemon } from '#test'
import { misfit, watchFacts } from '../support/facts.ts'
import { inputs, type Schema } from '../support/inputs.ts'

const factNames = Object.keys(facts) as FactName[]
const people: Names = { actor: 'ada@example.com', person: 'Ada Lovelace', agent: 'Grace', crew: 'backend' }

describe.each(endpoints.filter(({ endpoint }) => endpoint.entity))('$name', ({ endpoint }) => {
  it('leaves a fact that is declared, under an entry type that it promises', () => {
    expect(factNames).toContain(auditOf(endpoint))
    expect(endpoint.journal).toContain(definitionOf(auditOf(endpoint)).type)
  })
})

describe.each(factNames)('%s', (name) => {
  const { type, payload, fixed, says } = definitionOf(name)
  const sample = (inputs('polite', new Map()).value(payload as Schema) as fc.Arbitrary<never>).filter(
    (given) => misfit(name, given) === null,
  )

  it('says a whole sentence of any payload: one line that people read to its end', () => {
    fc.assert(
      fc.property(sample, (given) => {
        const sentence = says(given, people)
        expect(sentence).toMatch(/^\S.{10,299}$/u)
        expect(sentence).not.toMatch(/\bundefined\b|\bnull\b|\bNaN\b|\[object /)
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  it('is stored under a type that is not reserved', () => expect(Object.keys(reserved)).not.toContain(type))

  it('says what it was done to where it is an audit, and by what action', () => {
    if (type.startsWith('audit.')) expect(Object.keys(fixed ?? {}).sort()).toEqual(['action', 'entity_type'])
    else expect(fixed).toBeUndefined()
  })
})

describe('every test', () => {
  it('fails when a payload does not fit the schema of its fact', async () => {
    const { app, workspace } = await daemon()
    const told: string[] = []
    const about = { workspace_id: workspace, actor_type: 'system' } as const
    const fits = { entity_id: 'c1', name: 'backend', metadata: { changed: ['name'] } }
    expect(misfit('crew.updated', { action: 'update', entity_type: 'crew', ...fits })).toBeNull()
    expect(misfit('crew.updated', fits)).toContain('crew.updated does not fit its schema')
    app.reactor.happened = () => undefined
    watchFacts(app, (fault) => told.push(fault))
    app.writeNow(() => {
      app.journal({ name: 'crew.updated', payload: fits, about })
      app.journal({ name: 'crew.updated', payload: { ...fits, name: 7 as never }, about })
      app.journal({ name: 'crew.updated', payload: { ...fits, name: 'undefined' }, about })
    })
    expect(told).toEqual([
      expect.stringContaining('crew.updated does not fit its schema: /name must be string'),
      'the sentence of crew.updated reads: Crew undefined was changed by Muster: name',
    ])
  })
})
