import { Type } from 'typebox'
import { post } from './define.ts'
import { Id, line, nullable, oneLine, prose, Ref } from './fields.ts'
import { NewSkillSlug, scanStatuses } from './skills.ts'

/** Skills that agents of a crew write within 24 hours, and those of them that wait for people. */
export const mostAuthoredSkills = 20

const caller = {
  workspace_id: Ref,
  crew_id: Ref,
  agent_id: Type.String({ maxLength: 64, description: 'The agent that it is written by, or for' }),
}
const reason = Type.Optional(prose(2000))

const told = {
  id: Id,
  slug: Type.String(),
  status: Type.Enum(['PENDING_REVIEW', 'STORED'], {
    description: 'PENDING_REVIEW: people decide. STORED: it is in the catalogue, and no agent has it',
  }),
  file_name: Type.String({ description: 'What people find it by among the proposed skills of the crew' }),
  skill_id: Type.Optional(Id),
  scan_status: Type.Enum(scanStatuses),
  scan_reason: Type.Optional(Type.String()),
  description_quality: Type.Optional(Type.String()),
}

const writing = {
  access: 'internal',
  held: true,
  journal: ['memory.skill_proposed', 'skill.imported'],
} as const

const throws = ['not_found', 'skill_exists', 'skill_invalid', 'skills_full', 'policy_refused', 'rate_limited'] as const

/** Skills that agents write. None of them is an agent's before a person has given it to one. docs/skills.md. */
export const agentSkills = {
  author: post('/internal/skills/author', {
    ...writing,
    summary: 'Propose a skill that an agent has written',
    agent: {
      route: '/skills/author',
      tool: 'propose_skill',
      says:
        'Propose a skill: instructions for a kind of task that comes again, which you found out and other agents ' +
        'would need. People read it and decide; nobody has it before they give it to an agent. Write it for an ' +
        'agent that knows nothing else: steps, commands, how to tell that it worked. Never write secrets.',
      members: {
        slug: 'Its name: a-z, 0-9 and single dashes, such as release-notes; no skill has it yet',
        description: 'One line: what it does, and when to use it ("Use when ...")',
        content: 'The instructions, in Markdown, without a front matter',
        reason: 'Why it is worth having; people decide by this, so always say it',
      },
      rate: { agent: 5, crew: 10 },
    },
    body: Type.Object({
      ...caller,
      slug: NewSkillSlug,
      description: Type.String({ minLength: 1, maxLength: 1024, pattern: oneLine }),
      content: Type.String({ minLength: 1, maxLength: 30_000, pattern: '^[^\\u0000]*$' }),
      reason,
    }),
    reply: Type.Object(told),
    throws,
  }),
  compose: post('/internal/skills/generate', {
    ...writing,
    summary: 'Have a model write a skill for an agent, which proposes it; every call costs tokens',
    agent: { route: '/skills/generate', rate: { agent: 2, crew: 4 } },
    body: Type.Object({
      ...caller,
      slug: NewSkillSlug,
      prompt: Type.String({ minLength: 1, maxLength: 8000, pattern: '^[^\\u0000]*$' }),
      model: Type.Optional(nullable(line(100))),
      reason,
    }),
    reply: Type.Object({ ...told, content: Type.String({ description: 'Its SKILL.md' }) }),
    noDryRun: 'it asks a model',
    throws: [...throws, 'model_key_missing', 'no_skill_written'],
  }),
}
