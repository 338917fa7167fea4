import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { givenAs, retold } from '../../cli/fields.ts'
import { commands } from '../support/typed.ts'

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const byName = new Map(
  Object.values(commands).flatMap((it) => [it.id, ...it.aliases, ...it.hiddenAliases].map((name) => [name, it])),
)

interface Schema {
  properties?: object
  anyOf?: Schema[]
}

const membersOf = ({ properties = {}, anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...anyOf.flatMap(membersOf),
]

/** Members that the command fills in itself, or asks for at a terminal, and why no name of one can be told. */
const unnamed: Record<string, string> = {
  'account:password': 'both passwords are asked for',
  'account:reset': 'token and password are asked for',
  'agents:learning:set enabled': 'the flags --on and --off',
  'backup:create scope': 'there is the whole server alone',
  'agents:list ephemeral': '`muster hires list` sets it',
  'agents:list include_setup': 'not offered',
  'hire crew_slug': 'crews are looked up',
  'agents:trigger crewId': 'the one of the agent',
  'approve approved': 'the verb itself',
  'approve status': 'the verb itself',
  'channels:create shoutrrr_url': 'not offered',
  'channels:test-draft shoutrrr_url': 'not offered',
  'channels:set-provider enabled': 'the flags --on and --off',
  'channels:update enabled': '`muster channels pause` and `resume`',
  'chats:create origin': 'where it comes from',
  'chats:send client_id': 'the command makes it',
  'chats:send metadata': 'not offered',
  'oauth:exchange state': 'in the address that is pasted',
  'oauth:exchange iss': 'in the address that is pasted',
  'credentials:create refresh_token': 'not offered',
  'credentials:scopes revision': 'that of the proposal which was shown',
  'credentials:create scope': 'follows from --crew',
  'credentials:update scope': 'follows from --crew',
  'credentials:test value': 'the stored one is tested',
  'integrations:managed:key api_key': 'asked for, or on standard input',
  'integrations:managed:key base_url': 'not offered',
  'keeper:ask credential_id': 'the variable names it',
  'keeper:ask requesting_crew_id': 'the one of the agent',
  'keeper:evaluate cases': 'the requests come with Muster',
  'keeper:resolve adjudicator': 'who calls decides',
  'inbox:act action': 'the flag itself',
  'inbox:purge kind': 'not offered',
  'inbox:resolve state': 'the verb itself',
  'inbox:resolve resolved_action': 'the verb itself',
  ...Object.fromEntries(
    [
      'activity',
      'comment',
      'comments',
      'relate',
      'relations',
      'remove',
      'review',
      'runs',
      'show',
      'start',
      'stop',
      'subtasks',
      'update',
    ].map((verb) => [`issues:${verb} crewId`, 'the one of the issue']),
  ),
  'issues:bulk updates': 'its members are the flags',
  'issues:create sort_order': 'not offered',
  'issues:list mission_type': 'no issue is of another type',
  'issues:update sort_order': 'not offered',
  'issues:review action': 'the flag itself',
  ...Object.fromEntries(
    [
      'add-task',
      'clone',
      'plan',
      'remove',
      'remove-task',
      'restart',
      'resume',
      'show',
      'start',
      'update',
      'update-task',
    ].map((verb) => [`missions:${verb} crewId`, 'the one of the mission']),
  ),
  'integrations:bind enabled': 'the flag --disabled',
  'integrations:bind mcp_server_scope': 'where the server is found',
  'integrations:create enabled': 'the flag --disabled',
  'integrations:create transport': 'follows from --url or --command',
  'integrations:tools description': 'not offered',
  'integrations:tools enabled': 'the flags --enable and --disable',
  'integrations:tools revision': 'what was listed',
  'integrations:tools toolName': 'what the flags name',
  'integrations:update transport': 'follows from --url or --command',
  'automations:create enabled': 'the flag --disabled',
  'automations:update enabled': '`muster automations enable` and `disable`',
  'waitpoints:complete approved': 'the flag --deny',
  'recipes:install account_labels': 'not offered',
  'recipes:install credential_values': 'each is asked for by its own name',
  'skills:assign config': 'not offered',
  'skills:list installed_for_agent_id': '`muster skills assigned`',
  'skills:show files': '`muster skills export` writes them',
  'webhooks:create enabled': 'the flag --disabled',
  'webhooks:create target_pipeline_id': 'a slug names it',
  'webhooks:update enabled': '`muster webhooks enable` and `disable`',
  'webhooks:update target_pipeline_id': 'a slug names it',
  'schedules:create enabled': 'the flag --disabled',
  'schedules:create target_pipeline_id': 'a slug names it',
  'schedules:update enabled': '`muster schedules enable` and `disable`',
  'schedules:update target_pipeline_id': 'a slug names it',
  'routines:approve comment': 'not offered',
  'routines:reject comment': 'not offered',
  'routines:import format': 'in the bundle',
  'routines:import history': 'in the bundle',
  'routines:import metadata': 'in the bundle',
  'routines:rollback target_version': 'as version, which the argument gives',
  'routines:run metadata': 'not offered',
  'routines:run triggered_by_id': 'whoever asks',
  'routines:run triggered_via': 'the command itself',
  'routines:run idempotency_key_ttl_seconds': 'not offered',
  'routines:save name': 'in the definition',
  'routines:save description': 'in the definition',
  'routines:save slug': 'in the definition',
  'routines:save save_token': 'the command tests it',
  'routines:save skip_test_gate': 'the command tests it',
  'routines:save expected_version': '`muster routines edit` says it',
  'routines:test author_crew_id': 'not needed without effects',
  'memory:edit parent_sha': 'what the command read before',
  'memory:export format': 'there is one',
  'memory:history cursor': 'follows from --all',
  'memory:import crew_id': 'follows from the agent',
  'memory:restore tier': 'follows from the path',
  'missions:list include_tasks': '`muster missions show` has them',
  'missions:list mission_type': 'the command itself',
  'missions:update-task status': 'the flags --retry and --skip',
  'audit:list page': 'follows from --limit and --all',
  'journal:list cursor': 'follows from --all',
  'login callbackUrl': 'a step of signing in',
  'login csrfToken': 'a step of signing in',
  'login redirect': 'a step of signing in',
  'onboarding:setup crew_template_slug': 'not offered',
  'onboarding:setup pairing_mode': 'not offered',
  'onboarding:setup telemetry_opt_in': 'not offered',
  'pair challenge': 'a step of pairing',
  'pairing:redeem verifier': 'a step of pairing',
  'runs:list waiting': 'follows from --status',
  'steer client_id': 'the command makes it',
  'system:alive challenge': 'a proof between programs',
  'templates:save name': 'in the file',
  'templates:save description': 'in the file',
  'templates:save icon': 'in the file',
  'templates:save color': 'in the file',
  'templates:save category': 'in the file',
  'templates:save agents': 'in the file',
  'workspaces:update allow_privileged_credentials': 'not offered',
  'workspaces:update audit_log_retention_days': 'not offered',
  'workspaces:update run_retention_days': 'not offered',
}

const given = endpoints.flatMap(({ endpoint, feature, op }) => {
  const command = endpoint.access === 'internal' ? undefined : byName.get(`${kebab(feature)}:${kebab(op)}`)
  if (!command) return []
  const path = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
  const members = [...membersOf(endpoint.body ?? {}), ...membersOf(endpoint.query ?? {}), ...path]
  return members.map((member) => [command, member] as const)
})

describe('members of requests', () => {
  it('are told by the flag or argument that gave them, for every operation with a command', () => {
    expect(given.length).toBeGreaterThan(300)
    const untold = given.filter(
      ([{ id, flags, args }, member]) =>
        !givenAs(member, { flags, args }) && !(id in unnamed) && !(`${id} ${member}` in unnamed),
    )
    expect([...new Set(untold.map(([{ id }, member]) => `${id} ${member}`))].sort()).toEqual([])
  })

  it.each([
    ['crews:create', 'container_memory_mb', '--memory'],
    ['crews:create', 'allowed_domains.2', '--allowed-domain'],
    ['crews:create', 'name', 'NAME'],
    ['agents:create', 'cli_adapter', '--adapter'],
    ['agents:create', 'agent_role', '--lead'],
    ['crews:show', 'crewId', 'CREW'],
    ['init', 'full_name', '--name'],
    ['init', 'password', '--password-stdin'],
    ['tokens:revoke', 'tokenId', 'TOKEN'],
    ['tokens:create', 'scopes', '--scope'],
    ['credentials:rotate', 'grace_seconds', '--grace'],
    ['crews:show', 'full_name', undefined],
  ])('%s: %s is %s', (id, member, name) => expect(givenAs(member, commands[id]!)).toBe(name))

  it.each([
    ['init', 'full_name', 'full_name must not be blank', '--name must not be blank'],
    ['crews:create', 'container_memory_mb', 'container_memory_mb must be >= 0', '--memory must be >= 0'],
    ['crews:create', 'slug', 'Another crew has the slug "web"', 'Another crew has the slug "web" (--slug)'],
    ['crews:create', 'slug', 'slug must be 1 to 50 of a-z', '--slug must be 1 to 50 of a-z'],
    ['crews:show', 'crewId', 'There is no such crew', 'There is no such crew (CREW)'],
    ['account:password', 'current_password', 'The password is wrong', 'The password is wrong'],
    ['account:password', 'new_password', 'new_password is too long', 'new password is too long'],
    ['crews:create', undefined, 'Whatever', 'Whatever'],
    ['crews:create', 'a)(*', 'a)(* is wrong', 'a)(* is wrong'],
  ])('%s tells "%s" in the words of the person', (id, field, sentence, told) =>
    expect(retold(sentence, field, commands[id]!)).toBe(told),
  )
})
