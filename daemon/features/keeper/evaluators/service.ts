import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { type EvaluatorSlot, evaluatorSlots, judgeProviders, judgeTimeout, type keeper } from '#contract/keeper'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { addressOf as vendorAddress } from '../../../providers/index.ts'
import { redacted } from '../config/rules.ts'
import { endpointOf, guard, isOperator, judging } from '../config/service.ts'
import type { Judge } from '../judge/service.ts'
import { tryHosted, tryServer } from '../judge/stages.ts'
import { hosting, keyFor, serverKeyOf, takeTrial } from '../judge/trials.ts'
import { queries, type SlotRow } from './queries.ts'
import { type Evaluator, evaluatorOf, type Said, slotLabels } from './rules.ts'
import { evaluatorSetting } from './settings.ts'

type Shown = Reply<typeof keeper.aux>

const names = hosting.map((it) => it.name.toLowerCase())
/** Who may be named as a provider: servers of one's own through the address of the judge, and vendors with a key. */
const known = [...new Set<string>([...judgeProviders, ...names])]

function slotOf(given: string): EvaluatorSlot {
  const slot = evaluatorSlots.find((it) => it === given)
  if (slot) return slot
  throw problem('invalid_field', { field: 'slot', detail: `slot must be one of ${evaluatorSlots.join(', ')}` })
}

const saidIn = (row: SlotRow | undefined): Partial<Said> =>
  row
    ? {
        ...(row.provider && { provider: row.provider }),
        ...(row.model && { model: row.model }),
        ...(row.timeout_ms && { timeout_ms: row.timeout_ms }),
        ...(row.credential_id && { credential_id: row.credential_id }),
        ...(row.workspace_id && { workspace: row.workspace_id }),
      }
    : {}

function environmentOf({ config: { vendor } }: App, slot: EvaluatorSlot): Partial<Said> {
  const provider = evaluatorSetting(vendor, slot, 'provider')
  const model = evaluatorSetting(vendor, slot, 'model')
  const timeout = Number(evaluatorSetting(vendor, slot, 'timeout'))
  const fits = Number.isInteger(timeout) && timeout >= judgeTimeout.least && timeout <= judgeTimeout.ofEvaluator
  return { ...(provider && { provider }), ...(model && { model }), ...(fits && { timeout_ms: timeout }) }
}

/** Who judges this now. */
export function evaluator(app: App, slot: EvaluatorSlot): Evaluator {
  const rows = queries(app.db).all.all()
  const rowOf = (name: EvaluatorSlot) => saidIn(rows.find((row) => row.slot === name))
  const withKey = hosting.find((it) => serverKeyOf(app, it))
  const vendor = {
    provider: withKey?.name.toLowerCase() ?? '',
    model: withKey?.judging?.model ?? '',
    credential_id: '',
    workspace: '',
  }
  const fallback = evaluatorOf(rowOf('fallback'), environmentOf(app, 'fallback'), vendor)
  if (slot === 'fallback') return fallback
  return evaluatorOf(rowOf(slot), environmentOf(app, slot), {
    provider: fallback.provider.value,
    model: fallback.model.value,
    credential_id: fallback.credential_id.value,
    workspace: fallback.workspace,
  })
}

export function list(app: App, { actor }: { actor: Actor }): Shown {
  const editable = isOperator(app, actor)
  const stored = new Set(
    queries(app.db)
      .all.all()
      .map(({ slot }) => slot),
  )
  const { judge_provider, judge_model } = judging(app)
  return {
    slots: evaluatorSlots.map((slot) => {
      const it = evaluator(app, slot)
      // The credential of another workspace is not told by its id.
      const own = it.workspace === actor.workspace
      return {
        slot,
        label: slotLabels[slot],
        provider: { ...it.provider, editable },
        model: { ...it.model, editable },
        timeout_ms: { ...it.timeout_ms, editable },
        credential_id: { ...it.credential_id, value: own ? it.credential_id.value : '', editable },
        overridden: stored.has(slot),
      }
    }),
    providers: known,
    judge_provider: judge_provider.value,
    judge_model: judge_model.value,
    any_overridden: stored.size > 0,
  }
}

export function set(app: App, { actor, slot: given, body, now }: Call<typeof keeper.setAux>): Shown {
  guard(app, actor)
  const slot = slotOf(given)
  const before = queries(app.db)
    .all.all()
    .find((row) => row.slot === slot)
  const text = (value: string | undefined, old: string | null | undefined) =>
    value === undefined ? (old ?? null) : value.trim().toLowerCase() || null
  const plain = (value: string | undefined, old: string | null | undefined) =>
    value === undefined ? (old ?? null) : value.trim() || null
  const row: SlotRow = {
    slot,
    provider: text(body.provider, before?.provider),
    model: plain(body.model, before?.model),
    timeout_ms: body.timeout_ms === undefined ? (before?.timeout_ms ?? null) : body.timeout_ms || null,
    credential_id: plain(body.credential_id, before?.credential_id),
    workspace_id: body.credential_id?.trim() ? actor.workspace : (before?.workspace_id ?? null),
    updated_by: actor.id,
    updated_at: now,
  }
  check(app, row)
  queries(app.db).store.run(row)
  return told(app, actor, [slot])
}

function check(app: App, { provider, model, timeout_ms, credential_id, workspace_id }: SlotRow): void {
  const refuse = (field: string, detail: string) => problem('invalid_field', { field, detail })
  if (provider !== null && !known.includes(provider))
    throw refuse('provider', `provider must be one of ${known.join(', ')}`)
  if (provider !== null && model === null) throw refuse('model', 'A provider needs a model')
  if (provider === null && model !== null) throw refuse('provider', 'A model needs a provider')
  if (timeout_ms !== null && timeout_ms < judgeTimeout.least)
    throw refuse('timeout_ms', `timeout_ms is ${judgeTimeout.least} to ${judgeTimeout.ofEvaluator}, or 0`)
  if (credential_id === null) return
  if (provider === null) throw refuse('provider', 'A credential needs a provider')
  const vendor = hosting.find((it) => it.name.toLowerCase() === provider)
  if (!vendor) throw refuse('credential_id', `${provider} is asked at the address of the judge, with its own key`)
  const key = keyFor(app, workspace_id!, vendor, credential_id)
  if ('missing' in key) throw refuse('credential_id', key.missing)
}

export function resetAll(app: App, { actor }: Call<typeof keeper.resetAux>): Shown {
  guard(app, actor)
  queries(app.db).resetAll.run()
  return told(app, actor, [])
}

export function resetSlot(app: App, { actor, slot }: Call<typeof keeper.resetSlot>): Shown {
  guard(app, actor)
  queries(app.db).reset.run(slotOf(slot))
  return told(app, actor, [slotOf(slot)])
}

export function useJudge(app: App, { actor, now }: Call<typeof keeper.useJudge>): Shown {
  guard(app, actor)
  const { judge_provider, judge_model } = judging(app)
  if (!endpointOf(app) || !judge_model.value)
    throw problem('invalid_field', {
      field: endpointOf(app) ? 'judge_model' : 'judge_endpoint_url',
      detail: 'Set the address and the model of the judge first',
    })
  for (const slot of evaluatorSlots)
    queries(app.db).store.run({
      slot,
      provider: judge_provider.value,
      model: judge_model.value,
      timeout_ms: null,
      credential_id: null,
      workspace_id: null,
      updated_by: actor.id,
      updated_at: now,
    })
  return told(app, actor, evaluatorSlots)
}

/** Records what is in force for these slots after a change, and shows all. */
function told(app: App, actor: Actor, changed: readonly string[]): Shown {
  const shown = list(app, { actor })
  const slots = Object.fromEntries(
    shown.slots
      .filter(({ slot }) => changed.includes(slot))
      .map(({ slot, provider, model, timeout_ms, credential_id }) => [
        slot,
        {
          provider: provider.value,
          model: model.value,
          timeout_ms: timeout_ms.value,
          credential_id: credential_id.value,
        },
      ]),
  )
  const about = { workspace_id: homeOf(app)!, ...actorOf(actor) }
  app.journal(fact('keeper.evaluators_set', { rule: 'keeper_aux_config', slots }, about))
  return shown
}

/** The model that judges this, or why there is none: at the address of the judge, or at a vendor's with a key. */
export function judgeOf(app: App, slot: EvaluatorSlot): Judge | { missing: string } {
  const it = evaluator(app, slot)
  const { judge_provider, judge_wire } = judging(app)
  const [name, model] = [it.provider.value, it.model.value]
  if (!name || !model) return { missing: 'Nobody is named who judges this' }
  const endpoint = endpointOf(app)
  const common = { model, timeoutMs: it.timeout_ms.value, operator: true }
  if (name === judge_provider.value && endpoint && !it.credential_id.value)
    return { ...common, wire: judge_wire.value, url: endpoint.url, secret: endpoint.secret }
  const vendor = hosting.find((known) => known.name.toLowerCase() === name)
  if (!vendor) return { missing: `The judge is no ${name}, or has no address` }
  const key = keyFor(app, it.workspace, vendor, it.credential_id.value)
  if ('missing' in key) return key
  return { ...common, wire: vendor.judging!.wire, url: vendorAddress(app.config, vendor) ?? '', secret: key.token }
}

export async function probe(
  app: App,
  { actor, slot: given }: Call<typeof keeper.probe>,
): Promise<Reply<typeof keeper.probe>> {
  guard(app, actor)
  const slot = slotOf(given)
  const judge = judgeOf(app, slot)
  if ('missing' in judge) throw problem('invalid_field', { field: 'slot', detail: judge.missing })
  takeTrial(app)
  const own = judge.url === endpointOf(app)?.url
  return own
    ? tryServer(app, judge, redacted(judge))
    : tryHosted(app, judge, { endpoint: judge.url, model: judge.model })
}
