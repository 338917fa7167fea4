import { Type } from 'typebox'
import { post } from './define.ts'

/** Kinds of fields; a form may name others, which are taken for text. */
export const askFieldTypes = [
  'text',
  'textarea',
  'number',
  'money',
  'date',
  'month',
  'select',
  'multiselect',
  'checkbox',
  'file',
  'photo',
] as const

/** A field of a stored form. */
export interface AskField {
  name: string
  label: string
  type: string
  required?: true
  placeholder?: string
  help?: string
  default?: AskValue
  options?: string[]
  /** Of money; the first is taken unless another one is given. */
  currency?: string[]
  multiple?: true
  min?: number
  max?: number
  pattern?: string
}

/** A form of an agent, as it is stored. */
export interface AskForm {
  id: string
  label: string
  icon?: string
  version?: number
  template: string
  attachment: 'none' | 'optional' | 'required'
  fields: AskField[]
}

export type AskValue = string | number | boolean | (string | number)[]

/** Why an answer cannot be used. */
export const answerCodes = ['required', 'min', 'max', 'number', 'pattern', 'multiple', 'options'] as const

/** A refusal's member `errors` has one of these for each answer that cannot be used. */
export interface AnswerError {
  field: string
  code: (typeof answerCodes)[number]
  detail: string
}

const Value = Type.Unsafe<AskValue | null>({
  anyOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array', maxItems: 100, items: { type: ['string', 'number'] } },
  ],
})

export const askForms = {
  askPreview: post('/agents/:agentId/ask-forms/:formId/render', {
    summary: 'Check the answers to a form of an agent and say which message they make',
    access: 'VIEWER',
    scope: 'agents:write',
    status: 200,
    body: Type.Object({
      values: Type.Optional(
        Type.Record(Type.String(), Value, {
          description: 'By the name of the field; a field that is not named takes its default',
        }),
      ),
      attachments: Type.Optional(
        Type.Array(Type.String({ maxLength: 1024 }), {
          maxItems: 20,
          description: 'Paths of uploads that belong to no field; they follow the text, one a line',
        }),
      ),
      chat_id: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{1,128}$',
          description: 'the id of a chat: uploads that are given by their bare name are in it',
        }),
      ),
    }),
    reply: Type.Object({
      form_id: Type.String(),
      form_label: Type.String(),
      form_version: Type.Integer({ minimum: 1 }),
      rendered_text: Type.String(),
      truncated: Type.Array(Type.String(), { description: 'Fields whose value was cut off at 2000 characters' }),
    }),
    journal: [],
    throws: ['not_found', 'invalid_answers'],
  }),
}
