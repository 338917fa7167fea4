import { describe, expect, it } from 'vitest'
import { daemon } from '#test'

const form = {
  id: 'expense',
  label: 'Expense',
  version: 3,
  template: 'Pay {{amount}} {{amount_currency}} for {{what}}\nNote: {{note}}\n{{receipt}}',
  attachment: 'optional',
  fields: [
    { name: 'amount', label: 'Amount', type: 'money', required: true, currency: ['EUR'] },
    { name: 'what', label: 'What', type: 'text', max: 10 },
    { name: 'note', label: 'Note', type: 'textarea' },
    { name: 'receipt', label: 'Receipt', type: 'file' },
  ],
}

async function place(forms: object[] = [form]) {
  const it = await daemon({ shared: true })
  const slug = `a${Math.random().toString(36).slice(2, 10)}`
  const { body, status, text } = await it.call('OWNER', 'POST', '/agents', {
    name: slug,
    slug,
    ask_forms: JSON.stringify(forms),
  })
  expect(status, text).toBe(201)
  const render = (given: object, who: 'OWNER' | 'VIEWER' = 'VIEWER', id = 'expense') =>
    it.call(who, 'POST', `/agents/${body.id}/ask-forms/${id}/render`, given)
  return { ...it, render, agentId: body.id as string }
}

describe('agents.askPreview', () => {
  it('says which message the answers make, to every member, and changes nothing', async () => {
    const { render, entries } = await place()
    const before = entries().length
    const values = { amount: 12.5, what: 'paper', receipt: 'scan.pdf' }
    const { status, body } = await render({ values, chat_id: 'chat-1', attachments: ['attachments/chat-1/i/b.pdf'] })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        form_id: 'expense',
        form_label: 'Expense',
        form_version: 3,
        rendered_text: 'Pay 12.5 EUR for paper\nattachments/chat-1/scan.pdf\nattachments/chat-1/i/b.pdf',
        truncated: [],
      },
    })
    expect(entries()).toHaveLength(before)
  })

  it('counts a form without a version as its first', async () => {
    const { version: _, ...first } = form
    const { render } = await place([first])
    expect((await render({ values: { amount: 1 } })).body.form_version).toBe(1)
  })

  it('refuses with the code of each answer that cannot be used', async () => {
    const { render } = await place()
    const { status, body } = await render({ values: { what: 'x'.repeat(11) } })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_answers',
        field: 'values.amount',
        detail: 'Amount: an answer is needed; What: at most 10 characters',
        errors: [
          { field: 'amount', code: 'required', detail: 'Amount: an answer is needed' },
          { field: 'what', code: 'max', detail: 'What: at most 10 characters' },
        ],
      },
    })
  })

  it('needs an attachment where the form says so; a file in a field is one', async () => {
    const { render } = await place([{ ...form, attachment: 'required' }])
    const errors = [{ field: 'attachments', code: 'required', detail: 'The form needs an attachment' }]
    expect((await render({ values: { amount: 1 } })).body.errors).toEqual(errors)
    expect((await render({ values: { amount: 1 }, attachments: ['attachments/c/i/x'] })).status).toBe(200)
    expect((await render({ values: { amount: 1, receipt: 'attachments/c/i/x' } })).status).toBe(200)
  })

  it('takes no attachment where the form says so', async () => {
    const { render } = await place([{ ...form, attachment: 'none' }])
    const errors = [{ field: 'attachments', code: 'max', detail: 'The form takes no attachments' }]
    expect((await render({ values: { amount: 1 }, attachments: ['x'] })).body.errors).toEqual(errors)
    expect((await render({ values: { amount: 1 }, attachments: [' '] })).status).toBe(200)
  })

  it('names the fields whose value was cut off', async () => {
    const { render } = await place()
    const { body } = await render({ values: { amount: 1, note: 'x'.repeat(2001) } })
    expect(body.truncated).toEqual(['note'])
    expect(body.rendered_text).toBe(`Pay 1 EUR for \nNote: ${'x'.repeat(2000)}`)
  })

  it.each([
    [{ values: { colour: 'red' } }, 'values'],
    [{ values: { __proto__: null, constructor: 'x' } }, 'values'],
    [{ values: { what: {} } }, 'values.what'],
    [{ values: { what: [[]] } }, 'values.what'],
    [{ values: { receipt: Array(101).fill('x') } }, 'values.receipt'],
    [{ chat_id: '../x' }, 'chat_id'],
    [{ attachments: 'x' }, 'attachments'],
  ])('refuses %j', async (given, field) => {
    const { render } = await place()
    expect((await render(given)).body).toMatchObject({ status: 400, code: 'invalid_field', field })
  })

  it('is absent for an unknown form, an agent without forms and a foreign agent', async () => {
    const { render, call, agentId, stranger } = await place()
    expect((await render({}, 'OWNER', 'other')).body).toMatchObject({ status: 404, code: 'not_found' })
    const path = `/agents/${agentId}/ask-forms/expense/render`
    expect((await call(stranger(), 'POST', path, {})).status).toBe(404)
    await call('OWNER', 'PATCH', `/agents/${agentId}`, { ask_forms: null })
    expect((await render({ values: {} })).status).toBe(404)
  })
})
