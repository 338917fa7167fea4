import { Type } from 'typebox'

/** Every way a request can fail: the code is the public promise; status and title follow from it. Contract part 1, section 1.2. */
export const problems = {
  no_credentials: [401, 'Sign in first'],
  session_expired: [401, 'The session has expired'],
  session_revoked: [401, 'The session was revoked'],
  session_invalid: [401, 'The token is not valid'],
  origin_rejected: [403, 'Requests from this origin are not accepted'],
  invalid_request: [400, 'The request is not valid HTTP'],
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_field: [400, 'A member has an invalid value'],
  missing_field: [400, 'A required member is missing'],
  no_fields: [400, 'Nothing to change was given'],
  workspace_required: [400, 'Name a workspace'],
  not_a_member: [403, 'Not a member of this workspace'],
  insufficient_role: [403, 'Your role does not allow this'],
  insufficient_scope: [403, 'The scopes of this token do not allow this'],
  not_found: [404, 'No such resource'],
  method_not_allowed: [405, 'method_not_allowed'],
  body_over_limit: [400, 'The body is larger than this endpoint takes'],
  host_rejected: [403, 'This server does not answer to that host name'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'Send application/json'],
  request_timeout: [408, 'The request took too long to arrive'],
  headers_too_large: [431, 'The address or the headers are too large'],
  rate_limited: [429, 'Too many requests'],
  internal: [500, 'Internal error'],
  unavailable: [503, 'This part of the service is not available'],

  already_initialized: [410, 'This server already has its first user'],
  bootstrap_closed: [410, 'The time to create the first user is over'],
  invalid_code: [400, 'Invalid or expired code'],
  slug_taken: [409, 'That slug is already in use'],
  name_taken: [409, 'That name is already in use'],
  already_assigned: [409, 'Already assigned'],
  lead_taken: [409, 'The crew already has a LEAD'],
  chat_taken: [409, 'That chat id belongs to another agent'],
  chat_busy: [409, 'The agent is still working on the last message'],
  agent_pending_review: [409, 'The agent waits for review'],
  crew_not_running: [409, 'The crew container is not running'],
  encryption_unavailable: [503, 'There is no encryption key'],
  admin_tokens_unavailable: [503, 'Administrative tokens are not configured'],
  runtime_failed: [502, 'The container runtime failed'],
  runtime_unavailable: [503, 'No container runtime answers'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type Code = keyof typeof problems

export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
  instance: Type.String(),
  code: Type.String(),
  field: Type.Optional(Type.String()),
  error: Type.String({ description: 'The same sentence, for older clients' }),
})
