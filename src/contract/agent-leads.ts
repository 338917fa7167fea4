import { Type } from 'typebox'
import { AgentDraft, agentStatuses } from './agents.ts'
import { post } from './define.ts'
import { Id } from './fields.ts'

const { name, slug, description, role_title, system_prompt, llm_model, tool_profile } = AgentDraft.properties

/** What an agent that leads its crew may do to it. */
export const agentLeads = {
  propose: post('/internal/agents', {
    summary: 'Create an agent for the LEAD of its crew, as far as the crew’s policy allows',
    access: 'internal',
    body: Type.Object({
      workspace_id: Id,
      crew_id: Id,
      agent_id: Type.String({ description: 'The LEAD' }),
      reason: Type.Optional(Type.String({ maxLength: 4000, description: 'Why the crew needs it' })),
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
