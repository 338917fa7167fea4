import type { AnswerError, AskForm, askForms } from '#contract/ask-forms'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { findAgent } from '../service.ts'
import { answersOf, type Values } from './answers.ts'
import { currencyOf, uploads } from './kinds.ts'
import { finished, rendered } from './rendering.ts'

type Preview = typeof askForms.askPreview

/** The message that the answers to a form make. docs/rules/agents.md, "Forms". */
export function previewForm(app: App, { actor, agentId, formId, body }: Call<Preview>): Reply<Preview> {
  const form = formOf(findAgent(app, actor.workspace, agentId).ask_forms, formId)
  const { values = {}, attachments = [], chat_id } = body
  checkNames(form, values)
  const { texts, errors, truncated } = answersOf(form, values, chat_id)
  const attached = attachments.filter((it) => it.trim())
  const flaw = attachmentFlaw(form, texts, attached)
  if (flaw || errors.length) throw refusal([...errors, ...(flaw ? [flaw] : [])])
  return {
    form_id: form.id,
    form_label: form.label,
    form_version: form.version ?? 1,
    rendered_text: finished([rendered(form.template, texts), ...attached].join('\n')),
    truncated,
  }
}

function formOf(stored: string | null, id: string): AskForm {
  const form = (JSON.parse(stored ?? '[]') as AskForm[]).find((it) => it.id === id)
  if (!form) throw problem('not_found', { detail: 'The agent has no such form' })
  return form
}

function checkNames({ id, fields }: AskForm, values: Values): void {
  const names = fields.flatMap(({ name, type }) => (type === 'money' ? [name, currencyOf(name)] : [name]))
  const stray = Object.keys(values).find((name) => !names.includes(name))
  if (stray !== undefined)
    throw problem('invalid_field', {
      field: 'values',
      detail: `values: the form "${id}" has no field "${stray.slice(0, 50)}"; it has ${names.join(', ')}`,
    })
}

/** An upload of a field is as good as one beside the fields. */
function attachmentFlaw(
  { attachment, fields }: AskForm,
  texts: Readonly<Record<string, string>>,
  attached: string[],
): AnswerError | undefined {
  if (attachment === 'none' && attached.length)
    return { field: 'attachments', code: 'max', detail: 'The form takes no attachments' }
  const uploaded = fields.some(({ name, type }) => uploads.has(type) && texts[name])
  if (attachment === 'required' && !attached.length && !uploaded)
    return { field: 'attachments', code: 'required', detail: 'The form needs an attachment' }
  return undefined
}

const refusal = (errors: AnswerError[]) =>
  problem('invalid_answers', {
    field: `values.${errors[0]!.field}`,
    detail: errors.map(({ detail }) => detail).join('; '),
    extra: { errors },
  })
