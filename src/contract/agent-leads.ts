import { Type } from 'typebox'
import { AgentDraft, agentStatuses } from './agents.ts'
import { post } from './define.ts'
import { Id, nullable, prose, Ref } from './fields.ts'

const { name, slug, description, role_title, system_prompt, llm_model, tool_profile } = AgentDraft.properties

/** What an agent that leads its crew may do to it. */
export const agentLeads = {
  propose: post('/internal/agents', {
    summary: 'Create an agent for the LEAD of its crew, as far as the crew’s policy allows',
    access: 'internal',
    held: true,
    agent: {
      route: '/agents',
      tool: 'create_agent',
      says:
        'For the LEAD of a crew alone: ask for another agent in it. Depending on how much the crew may do, it is ' +
        'there at once (status IDLE), waits until people approve it (PENDING_REVIEW), or is refused.',
      members: {
        name: 'What people call it',
        slug: 'Its short name: a-z, 0-9, _ and -, 2 to 50 characters',
        role_title: 'What it does, in a few words',
        system_prompt: 'What it is told to be and to do',
        reason: 'Why the crew needs it; people decide by this, so always say it',
      },
      rate: { agent: 10, crew: 20 },
    },
    body: Type.Object({
      workspace_id: Ref,
      crew_id: Ref,
      agent_id: Type.String({ maxLength: 64, description: 'The LEAD' }),
      run_id: Type.Optional(nullable(Ref)),
      reason: Type.Optional(prose(4000)),
      name,
      slug,
      description,
      role_title,
      system_prompt,
      llm_model,
      tool_profile,
    }),
    reply: Type.Object({
      id: Id,
      slug: Type.String(),
      crew_id: Id,
      status: Type.Enum(agentStatuses),
      approval_id: Type.Optional(Id),
    }),
    journal: ['audit.entity_created', 'approval.requested'],
    throws: ['not_found', 'not_the_lead', 'policy_refused', 'slug_taken', 'rate_limited'],
  }),
}
