import type { VendorSetting } from '#kernel/settings'
import { chatCompletions } from './chat-completions.ts'

/** Where a model server of the operator's own answers; empty when there is none. */
export const localAddress: VendorSetting = {
  path: 'local_models.base_url',
  env: 'SVC_LOCAL_MODELS_URL',
  kind: 'string',
  fallback: '',
  summary: 'Address of a model server of your own, such as Ollama',
}

/** How such a server is asked. It has no model of which one could know. */
export const localCompletion = chatCompletions('', 'max_tokens')
