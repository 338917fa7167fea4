import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.String()
/** What is proposed is to be taken out again. */
const removal = Type.Optional(Type.Literal('removal'))
const capital = (said: string) => said[0]!.toUpperCase() + said.slice(1)
const rules = (count: number) => (count === 1 ? 'one rule' : `${count} rules`)

function said(status: string, proposed: number, error: string | undefined): string {
  if (status === 'skipped-no-summarizer') return 'The journal was not read: no model is there to do it'
  if (status === 'interrupted') return 'The daemon ended while the journal was read for what crews are to remember'
  if (status === 'ok') return `The journal was read, and ${proposed === 0 ? 'nothing was' : rules(proposed)} proposed`
  return `The journal could not be read for what crews are to remember${error ? `: ${quoted(error)}` : ''}`
}

/** What crews are to remember, as it was proposed and decided. docs/consolidation.md. */
export const consolidateFacts = {
  'system.consolidation_triggered': entry(
    'system.consolidation_triggered',
    'info',
    Type.Object({ worker_id: text, reason: Type.Enum(['manual', 'scheduled', 'no-summarizer-skip']) }),
    ({ reason }, { person }) =>
      reason === 'scheduled'
        ? 'The journal is read for what crews are to remember, as scheduled'
        : `${person} has the journal read for what crews are to remember`,
  ),
  'system.consolidation_completed': entry(
    'system.consolidation_completed',
    'notice',
    Type.Object({
      worker_id: text,
      status: Type.Enum(['ok', 'skipped-no-summarizer', 'crew-not-found', 'enumerate-failed', 'failed', 'interrupted']),
      crews_run: Type.Integer(),
      rules_appended: Type.Integer({ description: 'Always 0: rules wait for people' }),
      rules_proposed: Type.Integer(),
      error: Type.Optional(Type.String({ description: 'Why the summarizer gave no answer' })),
    }),
    ({ status, rules_proposed, error }) => said(status, rules_proposed, error),
  ),
  'memory.nothing_learned': entry(
    'memory.consolidated',
    'info',
    Type.Object({
      rules_count: Type.Literal(0),
      entries_scanned: Type.Integer(),
      skipped: Type.Literal(false),
      model: text,
      dropped: Type.Integer({ description: 'Rules that were proposed and not kept' }),
    }),
    ({ entries_scanned, model }, { crew }) =>
      `${quoted(model)} found no new rule for the memory of crew ${crew} in ${entries_scanned} entries`,
  ),
  'memory.consolidation_proposed': entry(
    'memory.consolidation_proposed',
    'notice',
    Type.Object({
      proposal_id: text,
      proposal_path: text,
      rules_count: Type.Integer(),
      entries_scanned: Type.Integer(),
      model: text,
      kind: removal,
    }),
    ({ rules_count, entries_scanned, model, kind }, { crew }) =>
      kind === 'removal'
        ? `${capital(rules(rules_count))} never helped crew ${crew}: people decide whether to forget that`
        : `${quoted(model)} proposes ${rules(rules_count)} for the memory of crew ${crew}, ` +
          `from ${entries_scanned} entries`,
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
      kind: removal,
    }),
    ({ rules_count, kind }, { person, crew }) =>
      kind === 'removal'
        ? `${person} took ${rules(rules_count)} out of the memory of crew ${crew}`
        : `${person} approved ${rules(rules_count)} for the memory of crew ${crew}`,
  ),
  'memory.proposal_rejected': entry(
    'memory.proposal_rejected',
    'notice',
    Type.Object({ proposal_id: text, rules_count: Type.Integer(), reason: text, kind: removal }),
    ({ rules_count, reason, kind }, { person, crew }) =>
      `${person} ${kind === 'removal' ? 'kept' : 'rejected'} ${rules(rules_count)} for the memory of crew ${crew}` +
      (reason ? `: ${quoted(reason)}` : ''),
  ),
}
