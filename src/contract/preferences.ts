import { Type } from 'typebox'
import { del, get, put } from './define.ts'

/** Any JSON, null included. */
const Value = Type.Unknown({ description: 'Any JSON value of at most 16 KB' })

export const preferences = {
  list: get('/me/preferences', {
    summary: 'List what your clients remember for you, by key',
    access: 'signed-in',
    kind: 'text',
    reply: Type.Record(Type.String(), Value),
  }),
  set: put('/me/preferences/:key', {
    summary: 'Remember a value under a key',
    access: 'signed-in',
    status: 204,
    body: Value,
    bodyLimit: 16 * 1024,
    overLimit: { code: 'body_too_large' },
    journal: [],
    throws: ['body_too_large', 'not_found'],
  }),
  remove: del('/me/preferences/:key', {
    summary: 'Forget the value of a key',
    access: 'signed-in',
    journal: [],
    throws: ['not_found'],
  }),
}
