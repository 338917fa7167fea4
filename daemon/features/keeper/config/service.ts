import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { evidenceFacts, judgeProfiles, type keeper } from '#contract/keeper'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { homeOf, homeRoleOf } from '#kernel/auth/home'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { checkTogether, patched } from './patch.ts'
import { queries } from './queries.ts'
import { type Address, addressOf, type Judging, judgingOf, type Overrides, redacted, stampOf } from './rules.ts'

type Shown = Reply<typeof keeper.config>

const sealedAs = 'keeper_settings:endpoint'

/** Whether this person administers the server, and not only a workspace of it. */
export function isOperator(app: App, { id }: Actor): boolean {
  const role = homeRoleOf(app, id)
  return role !== undefined && allows('ADMIN', role)
}

/** The judge is everybody's on this server, and anyone may own a workspace: only the first one counts. */
export function guard(app: App, actor: Actor): void {
  if (!isOperator(app, actor))
    throw problem('insufficient_role', {
      detail: 'Only ADMIN and OWNER of the first workspace of this server set up its judge',
    })
}

const overridesOf = ({ db }: App): Overrides => JSON.parse(queries(db).find.get()?.overrides_json ?? '{}') as Overrides

/** What is in force now. */
export const judging = (app: App): Judging => judgingOf(overridesOf(app), environmentOf(app))

function environmentOf({ config }: App) {
  const address = config.keeperUrl ? addressOf(config.keeperUrl) : null
  return {
    enabled: config.keeperEnabled as '' | 'true' | 'false',
    endpoint: address?.url ?? '',
    model: config.keeperModel,
  }
}

/** What would be in force if this were set too. */
export const judgingWith = (app: App, more: Overrides): Judging =>
  judgingOf({ ...overridesOf(app), ...more }, environmentOf(app))

/** Where the judge answers, with what its address says before the host; null when there is no address. */
export function endpointOf(app: App): Address | null {
  const { value: url, source } = judging(app).judge_endpoint_url
  if (!url) return null
  if (source === 'env') return addressOf(app.config.keeperUrl)
  return { url, secret: opened(app, queries(app.db).find.get()?.endpoint_secret ?? null) }
}

function opened({ vault, log }: App, stored: string | null): string {
  if (stored === null || !vault) return ''
  try {
    return vault.open(stored, sealedAs)
  } catch {
    log.error("What the judge's address names before its host cannot be opened with this encryption key")
    return ''
  }
}

export function show(app: App, { actor }: { actor: Actor }): Shown {
  const { profile, manner, ...rest } = judging(app)
  const row = queries(app.db).find.get()
  const editable = isOperator(app, actor)
  const open = <T>(it: T) => ({ ...it, editable })
  const endpoint = endpointOf(app)
  const overrides = overridesOf(app)
  return {
    enabled: open(rest.enabled),
    judge_provider: open(rest.judge_provider),
    judge_endpoint_url: open({ ...rest.judge_endpoint_url, value: endpoint ? redacted(endpoint) : '' }),
    judge_wire: open(rest.judge_wire),
    judge_model: open(rest.judge_model),
    judge_timeout_ms: open(rest.judge_timeout_ms),
    judge_profile: {
      name: open(profile),
      evidence: open(manner.evidence),
      evidence_facts: open({ ...manner.evidence_facts, value: [...manner.evidence_facts.value] }),
      hard_gate: open(manner.hard_gate),
      escalate_from: open(manner.escalate_from),
      precedent: open(manner.precedent),
      precedent_n: open(manner.precedent_n),
      consistency_samples: open(manner.consistency_samples),
      prompt_budget_tokens: open(manner.prompt_budget_tokens),
      overridden: Object.keys(manner).some((name) => name in overrides) || 'judge_profile' in overrides,
      choices: [...judgeProfiles],
      available_facts: [...evidenceFacts],
      stamp: stampOf({ ...rest, profile, manner }),
    },
    overridden: Object.keys(overrides).length > 0,
    updated_at: row?.updated_at ?? null,
    updated_by: row?.updated_by ?? null,
    judge_configured: rest.judge_endpoint_url.value !== '' && rest.judge_model.value !== '',
  }
}

export function set(app: App, { actor, body, now }: Call<typeof keeper.setConfig>): Shown {
  guard(app, actor)
  const before = queries(app.db).find.get()
  const after = patched(overridesOf(app), body)
  let endpoint_secret = before?.endpoint_secret ?? null
  if (body.judge_endpoint_url !== undefined) {
    const given = body.judge_endpoint_url && readAddress(body.judge_endpoint_url)
    endpoint_secret = given ? sealed(app, given.secret) : null
    if (given) after.judge_endpoint_url = given.url
    else delete after.judge_endpoint_url
  }
  checkTogether(judgingOf(after, environmentOf(app)))
  const overrides_json = JSON.stringify(after)
  queries(app.db).store.run({ overrides_json, endpoint_secret, updated_by: actor.id, updated_at: now })
  return told(app, actor)
}

function readAddress(given: string): Address {
  const address = addressOf(given)
  if (!address)
    throw problem('invalid_field', {
      field: 'judge_endpoint_url',
      detail: 'judge_endpoint_url is an http or https address without ? and #',
    })
  return address
}

function sealed({ vault }: App, secret: string): string | null {
  if (!secret) return null
  if (!vault)
    throw problem('unavailable', {
      detail: 'This server has no encryption key, so it cannot keep what stands before the host of the address',
    })
  return vault.seal(secret, sealedAs)
}

export function reset(app: App, { actor }: Call<typeof keeper.resetConfig>): Shown {
  guard(app, actor)
  queries(app.db).reset.run()
  return told(app, actor)
}

/** Records what is in force after a change, and shows it. */
function told(app: App, actor: Actor): Shown {
  const shown = show(app, { actor })
  const { enabled, judge_endpoint_url, judge_model, judge_profile, overridden } = shown
  const payload = {
    rule: 'keeper_runtime_config' as const,
    enabled: enabled.value,
    enabled_source: enabled.source,
    endpoint: judge_endpoint_url.value,
    endpoint_source: judge_endpoint_url.source,
    model: judge_model.value,
    model_source: judge_model.source,
    judge_profile: judge_profile.stamp,
    judge_profile_name: judge_profile.name.value,
    judge_profile_source: judge_profile.name.source,
    overridden,
  }
  app.journal(fact('keeper.configured', payload, { workspace_id: homeOf(app)!, ...actorOf(actor) }))
  return shown
}
