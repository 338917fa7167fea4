import { Type } from 'typebox'
import { get, post } from './define.ts'

export const onboarding = {
  status: get('/onboarding/status', {
    summary: 'Say whether you have been shown around',
    access: 'signed-in',
    reply: Type.Object({ completed: Type.Boolean() }),
  }),
  complete: post('/onboarding/complete', {
    summary: 'Note that you have been shown around',
    access: 'signed-in',
    status: 200,
    reply: Type.Object({ status: Type.Literal('completed') }),
    journal: false,
  }),
}
