// How things are decided that wait for people. A test compares it with the interface.

export const operations = {
  'approvals.decide': ['POST', '/api/v1/approvals/:approvalId/decide'],
  'consolidate.approve': ['POST', '/api/v1/consolidate/proposed/:proposalId/approve'],
  'consolidate.reject': ['POST', '/api/v1/consolidate/proposed/:proposalId/reject'],
  'credentials.decideUse': ['POST', '/api/v1/credentials/:credentialId/scopes/questions/:questionId'],
  'escalations.resolve': ['PATCH', '/api/v1/escalations/:escalationId/resolve'],
  'inbox.act': ['POST', '/api/v1/inbox/:itemId/act'],
  'integrations.decideTools': ['POST', '/api/v1/integrations/:integrationId/tools/decide'],
  'integrations.decideToolsInCrew': ['POST', '/api/v1/crews/:crewId/integrations/:serverId/tools/decide'],
  'keeper.resolve': ['POST', '/api/v1/admin/keeper/requests/:requestId/resolve'],
  'persona.decide': ['POST', '/api/v1/persona/suggestions/:auditId/decide'],
  'routines.approve': ['POST', '/api/v1/workspaces/:workspaceId/pipelines/:routineSlug/approve'],
  'routines.reject': ['POST', '/api/v1/workspaces/:workspaceId/pipelines/:routineSlug/reject'],
  'skills.approve': ['POST', '/api/v1/skills/proposed/approve'],
  'skills.reject': ['POST', '/api/v1/skills/proposed/reject'],
  'waitpoints.approve': ['POST', '/api/v1/workspaces/:workspaceId/pipelines/waitpoints/:token/approve'],
}
