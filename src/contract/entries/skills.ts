import { Type } from 'typebox'
import { autonomyLevels } from '../policies.ts'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

/** How the crew's policy judged what one of its agents wrote. The policy simulator reads it. */
const judged = {
  policy_action: Type.Literal('skill_create'),
  policy_verdict: Type.Enum(['ask', 'inbox', 'notice', 'journal']),
  autonomy_level: Type.Enum([...autonomyLevels]),
}

const imports = {
  skill_id: Type.String(),
  slug: Type.String(),
  created: Type.Boolean(),
  source: Type.Enum(['url', 'content', 'git', 'generated', 'agent']),
  unsafe_license: Type.Boolean(),
}
const Imported = Type.Object(imports)

const Named = Type.Object({ skill_id: Type.String(), slug: Type.String() })

function imported({ created, source }: { created: boolean; source: string }): string {
  if (source === 'agent') return 'written by'
  if (source === 'generated') return 'written by a model for'
  return created ? 'imported by' : 'imported anew by'
}

/** Skills: where they come from and go. docs/skills.md. */
export const skillFacts = {
  'skill.imported': entry(
    'skill.imported',
    'notice',
    Imported,
    (it, { actor }) => `The skill ${quoted(it.slug)} was ${imported(it)} ${actor}`,
  ),
  'skill.imported_unlicensed': entry(
    'skill.imported',
    'warn',
    Imported,
    (it, { actor }) => `The skill ${quoted(it.slug)} was ${imported(it)} ${actor}, without a licence that is open`,
  ),
  'skill.authored': entry(
    'skill.imported',
    'notice',
    Type.Object({ ...imports, ...judged }),
    (it, { actor }) => `The skill ${quoted(it.slug)} was ${imported(it)} ${actor}; no agent has it yet`,
  ),
  'skill.assigned': entry(
    'skill.assigned',
    'info',
    Named,
    ({ slug }, { actor, agent }) => `The skill ${quoted(slug)} was given to ${agent} by ${actor}`,
  ),
  'skill.unassigned': entry(
    'skill.unassigned',
    'info',
    Named,
    ({ slug }, { actor, agent }) => `The skill ${quoted(slug)} was taken from ${agent} by ${actor}`,
  ),
  'skill.invoked': entry(
    'skill.invoked',
    'info',
    Type.Object({
      skill_id: Type.String(),
      skill_slug: Type.String(),
      tool_name: Type.String(),
      exit_code: Type.Optional(Type.Integer()),
      usage_count: Type.Integer({ description: 'Runs of the workspace that used it so far' }),
    }),
    ({ skill_slug }, { agent }) => `${agent} used the skill ${quoted(skill_slug)}`,
  ),
  'skill.deleted': entry(
    'skill.deleted',
    'notice',
    Type.Object({ skill_id: Type.String(), slug: Type.String() }),
    ({ slug }, { actor }) => `The skill ${quoted(slug)} was deleted by ${actor}`,
  ),
  'memory.skill_proposed': entry(
    'memory.skill_proposed',
    'notice',
    Type.Object({
      file_name: Type.String(),
      skill_path: Type.String(),
      slug: Type.String(),
      scan_status: Type.String(),
      composite: Type.Number({ description: 'The score of its rule' }),
      recall_count: Type.Integer({ description: 'Searches of the last seven days that found it' }),
    }),
    ({ slug, recall_count }, { crew }) =>
      `What crew ${crew} learned and looked up ${recall_count} times is proposed as the skill ${quoted(slug)}`,
  ),
  'skill.proposed': entry(
    'memory.skill_proposed',
    'notice',
    Type.Object({
      file_name: Type.String(),
      skill_path: Type.String(),
      slug: Type.String(),
      scan_status: Type.String(),
      source: Type.Enum(['generated', 'agent']),
      ...judged,
    }),
    ({ slug }, { actor }) => `${actor} proposes the skill ${quoted(slug)}`,
  ),
  'memory.skill_approved': entry(
    'memory.skill_approved',
    'notice',
    Type.Object({
      skill_id: Type.String(),
      skill_path: Type.String(),
      slug: Type.String(),
      created: Type.Boolean(),
    }),
    ({ slug }, { person, crew }) => `${person} approved the skill ${quoted(slug)} of crew ${crew}`,
  ),
  'memory.skill_rejected': entry(
    'memory.skill_rejected',
    'info',
    Type.Object({ skill_path: Type.String(), file_name: Type.String(), removed_on_fs: Type.Boolean() }),
    ({ file_name }, { person, crew }) => `${person} rejected the proposed skill ${quoted(file_name)} of crew ${crew}`,
  ),
}
