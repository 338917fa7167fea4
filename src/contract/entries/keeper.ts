import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.String()

/** How the judge of credentials is set up. docs/keeper.md. */
export const keeperFacts = {
  'keeper.configured': entry(
    'keeper.decision',
    'notice',
    Type.Object({
      rule: Type.Literal('keeper_runtime_config'),
      enabled: Type.Boolean(),
      enabled_source: text,
      endpoint: text,
      endpoint_source: text,
      model: text,
      model_source: text,
      judge_profile: text,
      judge_profile_name: text,
      judge_profile_source: text,
      overridden: Type.Boolean(),
    }),
    ({ enabled, model, judge_profile_name }, { person }) =>
      enabled
        ? `${person} set up the judge of credentials: ${quoted(model || 'no model')}, ${judge_profile_name}`
        : `${person} set up the judge of credentials, which is off`,
  ),
  'keeper.evaluators_set': entry(
    'keeper.decision',
    'notice',
    Type.Object({
      rule: Type.Literal('keeper_aux_config'),
      slots: Type.Record(
        text,
        Type.Object({ provider: text, model: text, timeout_ms: Type.Integer(), credential_id: text }),
      ),
    }),
    ({ slots }, { person }) =>
      Object.keys(slots).length
        ? `${person} set who judges ${Object.keys(slots).join(', ')}`
        : `${person} took back who judges what`,
  ),
  'keeper.governance_set': entry(
    'keeper.decision',
    'notice',
    Type.Object({
      rule: Type.Literal('keeper_governance'),
      changes: Type.Record(text, Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
    }),
    ({ changes }, { person }) => `${person} set what is asked of the judge: ${Object.keys(changes).join(', ')}`,
  ),
}
