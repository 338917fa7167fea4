import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.String()
const rules = (count: number) => (count === 1 ? 'one rule' : `${count} rules`)

/** What crews are to remember, as it was proposed and decided. docs/consolidation.md. */
export const consolidateFacts = {
  'memory.consolidation_proposed': entry(
    'memory.consolidation_proposed',
    'notice',
    Type.Object({
      proposal_id: text,
      proposal_path: text,
      rules_count: Type.Integer(),
      entries_scanned: Type.Integer(),
      model: text,
    }),
    ({ rules_count, entries_scanned, model }, { crew }) =>
      `${quoted(model)} proposes ${rules(rules_count)} for the memory of crew ${crew}, from ${entries_scanned} entries`,
  ),
  'memory.consolidated': entry(
    'memory.consolidated',
    'notice',
    Type.Object({
      proposal_id: text,
      rules_count: Type.Integer(),
      output_path: text,
      approved_by: text,
      decided_at: text,
    }),
    ({ rules_count }, { person, crew }) => `${person} approved ${rules(rules_count)} for the memory of crew ${crew}`,
  ),
  'memory.proposal_rejected': entry(
    'memory.proposal_rejected',
    'notice',
    Type.Object({ proposal_id: text, rules_count: Type.Integer(), reason: text }),
    ({ rules_count, reason }, { person, crew }) =>
      `${person} rejected ${rules(rules_count)} for the memory of crew ${crew}${reason ? `: ${quoted(reason)}` : ''}`,
  ),
}
