import type { Client } from '#client'
import type { decisions } from '#contract/decisions'
import type { Reply } from '#contract/define'
import { InputError } from '../input.ts'

export type Decides = Reply<typeof decisions.show>['decides']
export type Choice = Decides['choices'][number]

/** Calls the operation that decides, as the choice says. */
export function carryOut(
  api: Client,
  { operation: usual, params }: Decides,
  { operation = usual, body, text: said }: Choice,
  text?: string,
): Promise<object> {
  const [feature = '', name = ''] = operation.split('.')
  const calls = api as unknown as Record<string, Record<string, (input: object) => Promise<object>>>
  const call = Object.hasOwn(calls, feature) ? calls[feature]![name] : undefined
  if (!call)
    throw new InputError(`The server is newer than this command, which does not know "${operation}".`, 'muster version')
  return call({ ...params, body: { ...body, ...(said && text && { [said.member]: text }) } })
}
