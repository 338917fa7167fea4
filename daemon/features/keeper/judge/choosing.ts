import type { App } from '#kernel/app'
import { addressOf as vendorAddress } from '../../../providers/index.ts'
import { apiKeyOf } from '../../credentials/delivery/service.ts'
import { endpointOf, judging } from '../config/service.ts'
import { governanceOf } from '../governance/service.ts'
import type { Judge } from './service.ts'
import { hosting } from './trials.ts'

/** The judge of a workspace: its own model where it names one, otherwise that of the server; or why there is none. */
export function judgeFor(app: App, workspace: string): Judge | { missing: string } {
  const { enabled, judge_provider, judge_wire, judge_model, judge_timeout_ms } = judging(app)
  if (!enabled.value) return { missing: 'The judge is off' }
  const timeoutMs = judge_timeout_ms.value
  const own = governanceOf(app, workspace)
  const endpoint = endpointOf(app)
  const named = own.enabled && own.gov_model_provider !== ''
  if (named && own.gov_model_credential_id) {
    const key = app.vault && apiKeyOf(app, workspace, own.gov_model_credential_id)
    const vendor = key && hosting.find((it) => it.name === key.provider)
    if (!key || !vendor) return { missing: 'The credential of the workspace’s own judge does not work' }
    return {
      wire: vendor.judging!.wire,
      url: vendorAddress(app.config, vendor) ?? '',
      secret: key.token,
      model: own.gov_model_id,
      timeoutMs,
      operator: true,
    }
  }
  if (named && own.gov_model_provider !== judge_provider.value)
    return { missing: 'The workspace’s own judge has no credential' }
  const model = named ? own.gov_model_id : judge_model.value
  if (!endpoint || !model) return { missing: 'The judge has no address or no model' }
  return { wire: judge_wire.value, url: endpoint.url, secret: endpoint.secret, model, timeoutMs, operator: true }
}
