import { Type } from 'typebox'
import { del, get, post, put } from './define.ts'
import { Id, nullable, prose, Time } from './fields.ts'

/** Days of uses from which rules are proposed, unless stated otherwise. */
export const scopeDays = 30
export const mostScopeDays = 90

const place = {
  host: Type.String({
    description: 'The host, with a port that is not the usual one; `http://` before it where unencrypted',
  }),
  method: Type.String(),
  path: Type.String({
    description:
      'The path without its query; `{id}` stands for a number, an id or a hash, `/**` at the end for all below',
  }),
}

const Rule = Type.Object(place)
const Use = Type.Object({ ...place, uses: Type.Integer(), last_used_at: Time })
const ActiveRule = Type.Object({ ...place, created_at: Time })
const Question = Type.Object({
  id: Id,
  ...place,
  agent_id: nullable(Id),
  asked_at: Time,
})

export const CredentialScopes = Type.Object({
  credential_id: Id,
  credential_name: Type.String(),
  days: Type.Integer({ description: 'The days that `uses` and `proposed` are of' }),
  enforced: Type.Boolean(),
  enforced_at: nullable(Time),
  uses: Type.Array(Use, { description: 'What it was used for, most often first' }),
  proposed: Type.Array(Rule, { description: 'The narrowest rules that would have allowed these uses' }),
  revision: Type.String({ description: 'Names the proposed rules, for enforcing just these' }),
  active: Type.Array(ActiveRule, { description: 'What it may be used for; empty unless enforced' }),
  waiting: Type.Array(Question, { description: 'Uses that people have yet to decide' }),
  unseen: Type.Integer({
    description: 'How often its value was handed to a program, whose use of it Muster does not see',
  }),
})

const reading = { access: 'MANAGER', reply: CredentialScopes, throws: ['not_found'] } as const
const narrowing = { access: 'ADMIN', scope: 'credentials:write', stepUp: true, status: 200 } as const

/** What credentials are used for, and what they may be used for. docs/keeper.md, "Scopes". */
export const credentialScopes = {
  scopes: get('/credentials/:credentialId/scopes', {
    summary: 'Show what a credential was used for, and the narrowest rules that would have allowed it',
    ...reading,
    query: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: mostScopeDays, default: scopeDays })),
    }),
  }),
  enforceScopes: put('/credentials/:credentialId/scopes', {
    summary: 'Let a credential be used for nothing but what it was used for; all else becomes a question',
    ...narrowing,
    body: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: mostScopeDays, default: scopeDays })),
      revision: Type.Optional(
        Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the rules that were looked at; others are refused' }),
      ),
    }),
    bodyOptional: true,
    reply: CredentialScopes,
    journal: ['credential.scopes_enforced'],
    throws: ['not_found', 'scopes_changed', 'scopes_unknown'],
  }),
  endScopes: del('/credentials/:credentialId/scopes', {
    summary: 'Let a credential be used for everything again',
    ...narrowing,
    reply: CredentialScopes,
    journal: ['credential.scopes_ended'],
    throws: ['not_found'],
  }),
  decideUse: post('/credentials/:credentialId/scopes/questions/:questionId', {
    summary: 'Decide a use of a credential outside of its scopes',
    access: 'ADMIN',
    scope: 'credentials:write',
    status: 200,
    body: Type.Object({
      decision: Type.Enum(['once', 'always', 'deny'], {
        description: '`once`: by this agent within an hour; `always`: it becomes a rule',
      }),
      reason: Type.Optional(nullable(prose(2000))),
    }),
    reply: Type.Object({ id: Id, decision: Type.Enum(['once', 'always', 'deny']), decided_at: Time }),
    journal: ['credential.use_decided'],
    throws: ['not_found', 'use_settled', 'second_approver_required'],
  }),
}
