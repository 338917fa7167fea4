import { receive } from './agents/calls.ts'
import type { App } from './app.ts'
import { dispatch } from './dispatch.ts'
import type { Actor, Web } from './feature.ts'
import { type Validator, validator } from './http/validate.ts'

const validators = new Map<string, Validator>()

/**
 * Carries out an operation that is no request of its own; `web` is the request within which it is asked for. The body
 * is checked against the contract. Throws problems.
 */
export async function perform(
  app: App,
  name: string,
  actor: Actor,
  { body, ...params }: { body?: unknown },
  web?: Web,
): Promise<unknown> {
  const operation = app.operations.get(name)
  if (!operation) throw new Error(`There is no operation ${name}`)
  if (!operation.endpoint.body) return dispatch(app, operation, actor, params, web)
  const check = validators.get(name) ?? validator(operation.endpoint.body, 'body')
  validators.set(name, check)
  const result = check(receive(app, operation, actor, body))
  if ('problem' in result) throw result.problem
  return dispatch(app, operation, actor, { ...params, body: result.value }, web)
}
