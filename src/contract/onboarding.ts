import { Type } from 'typebox'
import { cliAdapters, llmProviders } from './agents.ts'
import { maxValueBytes } from './credentials.ts'
import { get, post } from './define.ts'
import { Id, line, nullable } from './fields.ts'
import { Language } from './workspaces.ts'

/** Members of the full contract that have no effect in this version: a value for one of them is refused. */
export const laterSetupMembers = ['crew_template_slug'] as const

const Setup = Type.Object({
  workspace_name: line(100),
  preferred_language: Type.Optional(Language),
  crew_name: Type.Optional(Type.String({ ...line(100), description: 'Comes with agent_name; neither makes no crew' })),
  agent_name: Type.Optional(line(100)),
  crew_template_slug: Type.Optional(Type.String({ description: 'This version has no templates: empty' })),
  cli_adapter: Type.Optional(Type.Enum(cliAdapters)),
  llm_provider: Type.Optional(Type.Enum(llmProviders)),
  llm_model: Type.Optional(line(200)),
  credential_name: Type.Optional(line(255)),
  credential_value: Type.Optional(
    Type.String({ maxLength: maxValueBytes, description: 'A key of the provider, never answered; empty for none' }),
  ),
  pairing_mode: Type.Optional(Type.Boolean({ description: 'Has no effect' })),
  telemetry_opt_in: Type.Optional(Type.Boolean({ description: 'Has no effect: Muster reports to nobody' })),
})

export const onboarding = {
  status: get('/onboarding/status', {
    summary: 'Say whether you have been shown around',
    access: 'signed-in',
    reply: Type.Object({ completed: Type.Boolean() }),
  }),
  complete: post('/onboarding/complete', {
    summary: 'Note that you have been shown around',
    access: 'signed-in',
    status: 200,
    reply: Type.Object({ status: Type.Literal('completed') }),
    journal: [],
  }),
  setup: post('/onboarding/setup', {
    summary: 'Set up a workspace with a first crew, agent and model key',
    access: 'signed-in',
    scope: '*',
    stepUp: true,
    body: Setup,
    reply: Type.Object({
      workspace_id: Id,
      crew_id: nullable(Id),
      agent_id: nullable(Id),
      agent_ids: Type.Array(Id),
      agent_count: Type.Integer(),
    }),
    journal: ['audit.entity_created', 'audit.entity_updated'],
    throws: ['onboarding_completed', 'encryption_unavailable'],
  }),
}
