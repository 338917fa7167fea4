import { Type } from 'typebox'
import { audit } from './define.ts'

const Change = Type.Object({ from: Type.Integer(), to: Type.Integer(), overridden: Type.Boolean() })

/** `name` is the key of the limit. */
export const limitFacts = {
  'rate_limit.updated': audit('audit.entity_updated', 'rate_limit', Change, ({ name, metadata }, { actor }) => {
    const { from, to, overridden } = metadata
    return overridden
      ? `${actor} changed the limit ${name} from ${from} to ${to}`
      : `${actor} reset the limit ${name} from ${from} to its default, ${to}`
  }),
}
