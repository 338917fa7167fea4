import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { init, result, says } from '../support/claude-lines.ts'
import { cliFor } from '../support/cli.ts'
import type { FakeRuntime } from '../support/fake-runtime.ts'
import { workplace } from '../support/runs.ts'

const form = {
  id: 'expense',
  label: 'Expense',
  template: 'Pay {{amount}} {{amount_currency}} for {{what}}\nNote: {{note}}',
  fields: [
    { name: 'amount', label: 'Amount', type: 'money', required: true, currency: ['EUR', 'USD'], max: 100 },
    { name: 'what', label: 'What', type: 'select', options: ['Paper', 'Ink'], required: true },
    { name: 'note', label: 'Note', type: 'textarea' },
  ],
}
const answers = ['--field', 'amount=12.50', '--field', 'what=Paper']

async function office(forms: object[] | null = [form], options: Parameters<typeof workplace>[0] = {}) {
  const place = await workplace<FakeRuntime>(options as object)
  const { status, text } = await place.call('OWNER', 'PATCH', `/agents/${place.agentId}`, {
    ask_forms: forms && JSON.stringify(forms),
  })
  expect(status, text).toBe(200)
  const work = async () => {
    const program = await place.runtime.program(0)
    place.runtime.print(program, init, says('Done.'), result())
    place.runtime.finish(program)
    return program
  }
  const said = async () => {
    const [chat] = (await place.call('OWNER', 'GET', `/agents/${place.agentId}/chats`)).body
    return (await place.call('OWNER', 'GET', `/chats/${chat.id}/messages`)).body.messages[0]
  }
  return { ...place, muster: await cliFor(place), work, said }
}

const sent = {
  form_id: 'expense',
  form_label: 'Expense',
  form_version: 1,
  values: { amount: '12.50', what: 'Paper' },
  rendered_text: 'Pay 12.50 EUR for Paper',
}

describe('muster ask --form', () => {
  it('sends what the answers make, and the answers', async () => {
    const { muster, work, said } = await office()
    const [ran] = await Promise.all([muster.run('ask', 'ada', '--form', 'expense', ...answers), work()])
    expect(ran).toEqual({ code: 0, stdout: 'Done.\n', stderr: '' })
    expect(await said()).toMatchObject({
      content: 'Pay 12.50 EUR for Paper',
      metadata: { ask_submission: { ...sent, submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
    })
  })

  it('prints with --dry-run what would be sent, and sends nothing', async () => {
    const { muster, call, agentId } = await office()
    const ran = await muster.run('ask', 'ada', '--form', 'expense', ...answers, '--dry-run')
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Pay 12\.50 EUR for Paper\n/) })
    expect((await call('OWNER', 'GET', `/agents/${agentId}/chats`)).body).toEqual([])
  })

  it('says what is wrong with which answer, and opens no chat', async () => {
    const { muster, call, agentId } = await office()
    const ran = await muster.run('ask', 'ada', '--form', 'expense', '--field', 'amount=200')
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Amount: at most 100; What: an answer is needed'),
    })
    expect((await call('OWNER', 'GET', `/agents/${agentId}/chats`)).body).toEqual([])
  })

  it.each([
    [['--form', 'other'], 'ada has no form "other"; it has expense.'],
    [['--form', 'expense', '--field', 'amount'], '--field must be NAME=VALUE, not "amount".'],
    [['--form', 'expense', '--field', 'day=1'], 'has no field "day"; it has amount, amount_currency, what, note.'],
    [['A question', '--form', 'expense'], '--form takes the place of a question'],
    [['A question', '--field', 'a=1'], '--form'],
  ])('refuses %j', async (words, says) => {
    const { muster } = await office()
    const ran = await muster.run('ask', 'ada', ...words)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(says)
  })

  it('says how to give an agent forms when it has none', async () => {
    const { muster } = await office(null)
    const { code, stderr } = await muster.run('ask', 'ada', '--form', 'expense')
    expect(code).toBe(2)
    expect(stderr).toContain('ada has no forms.')
    expect(stderr).toContain('muster agents update ada --ask-forms @forms.json')
  })

  it('asks field by field at a terminal, and again for what cannot be used', async () => {
    const { muster, work, said } = await office()
    const shown = muster.screen(['ask', 'ada', '--form', 'expense', '--no-color'])
    await shown.until(/Amount/)
    shown.type('200\r')
    await shown.until(/Amount: currency/)
    shown.type('\r')
    await shown.until(/What/)
    shown.type('\r')
    await shown.until(/Note/)
    shown.type('\r')
    await shown.until(/at most 100[\s\S]*Amount/)
    shown.type('12.50\r')
    await shown.until(/at most 100[\s\S]*currency/)
    const program = work()
    shown.type('\r')
    await program
    expect(await shown.ended).toBe(0)
    expect(await said()).toMatchObject({
      content: 'Pay 12.50 EUR for Paper',
      metadata: { ask_submission: { values: { amount: '12.50', amount_currency: 'EUR', what: 'Paper' } } },
    })
  })
})

describe('muster agents ask-preview', () => {
  it('prints the message, for people and programs', async () => {
    const { muster } = await office()
    expect(await muster.run('agents', 'ask-preview', 'ada', 'expense', ...answers)).toEqual({
      code: 0,
      stdout: 'Pay 12.50 EUR for Paper\n',
      stderr: '',
    })
    const vars = ['--var', 'amount=1', '--var', 'what=Ink', '--var', 'amount_currency=USD', '--json']
    const { stdout } = await muster.run('agents', 'ask-preview', 'ada', 'expense', ...vars)
    expect(JSON.parse(stdout)).toEqual({
      form_id: 'expense',
      form_label: 'Expense',
      form_version: 1,
      rendered_text: 'Pay 1 USD for Ink',
      truncated: [],
    })
  })

  it('says which value was cut off', async () => {
    const { muster } = await office()
    const note = `note=${'x'.repeat(2001)}`
    const ran = await muster.run('agents', 'ask-preview', 'ada', 'expense', ...answers, '--field', note)
    expect(ran.stderr).toBe('Cut off at 2000 characters: note.\n')
  })
})

describe('files', () => {
  const receipt = { name: 'receipt', label: 'Receipt', type: 'file', multiple: true }
  const withFile = {
    ...form,
    attachment: 'optional',
    template: `${form.template}\n{{receipt}}`,
    fields: [...form.fields, receipt],
  }

  async function desk() {
    const dataDir = mkdtempSync(join(tmpdir(), 'muster-forms-'))
    closing({ close: () => rmSync(dataDir, { recursive: true, force: true }) })
    const it = await office([withFile], { config: { dataDir } })
    const file = (name: string, text = name) => {
      writeFileSync(join(dataDir, name), text)
      return join(dataDir, name)
    }
    return { ...it, file }
  }

  it('of fields and beside them are given to the chat, and named in the message', async () => {
    const { muster, work, said, file, runtime, call, agentId } = await desk()
    const [bill, list] = [file('Bill für "Ö".pdf', 'bill'), file('list.txt')]
    const words = [...answers, '--field', `receipt=@${bill}`, '--attach', list]
    const [ran] = await Promise.all([muster.run('ask', 'ada', '--form', 'expense', ...words), work()])
    expect(ran).toEqual({ code: 0, stdout: 'Done.\n', stderr: '' })
    const message = await said()
    const [chat] = (await call('OWNER', 'GET', `/agents/${agentId}/chats`)).body
    const rows = (await call('OWNER', 'GET', `/agents/${agentId}/chats/${chat.id}/attachments`)).body
    const named = (name: string) => rows.find(({ filename }: { filename: string }) => filename === name)
    const [one, other] = [named('Bill für "Ö".pdf'), named('list.txt')]
    expect(message.content).toBe(`Pay 12.50 EUR for Paper\n${one.path}\n${other.path}`)
    expect(message.metadata.ask_submission).toMatchObject({
      values: { amount: '12.50', what: 'Paper' },
      field_attachment_ids: { receipt: [one.id] },
    })
    expect(message.metadata.ask_submission.values).not.toHaveProperty('receipt')
    expect([...runtime.files.values()].sort()).toEqual(['bill', 'list.txt'])
  })

  it('are not sent by a dry run, nor when an answer cannot be used', async () => {
    const { muster, file, runtime } = await desk()
    const words = ['--field', `receipt=@${file('bill.pdf')}`]
    const dry = await muster.run('ask', 'ada', '--form', 'expense', ...answers, ...words, '--dry-run')
    expect(dry.stdout).toMatch(/^Pay 12\.50 EUR for Paper\nattachments\/new-chat\/bill\.pdf\n/)
    expect((await muster.run('ask', 'ada', '--form', 'expense', ...words)).code).toBe(2)
    expect(runtime.files.size).toBe(0)
  })

  it('that are not there are told before anything is sent', async () => {
    const { muster } = await desk()
    const ran = await muster.run('ask', 'ada', '--form', 'expense', ...answers, '--field', 'receipt=@/none')
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file /none.') })
  })

  it('are given to a chat, listed and deleted by hand', async () => {
    const { muster, file, openChat, runtime } = await desk()
    const chat = await openChat()
    const path = (await muster.run('chats', 'attach', chat, file('bill.pdf'))).stdout
    expect(path).toMatch(/^attachments\/\S+\/bill\.pdf\n$/)
    expect(JSON.parse((await muster.run('attachments', 'list', chat, '--json')).stdout)).toMatchObject([
      { filename: 'bill.pdf', size_bytes: 8, agent_path: `/output/ada/${path.trim()}` },
    ])
    const removed = await muster.run('attachments', 'delete', chat, 'bill.pdf', '--yes')
    expect(removed).toMatchObject({ code: 0, stderr: expect.stringContaining('Deleted bill.pdf.') })
    expect(runtime.files.size).toBe(0)
    expect((await muster.run('attachments', 'remove', chat, 'bill.pdf', '--yes')).stderr).toContain('has no file')
    expect((await muster.run('chats', 'attach', 'nochat', file('a'))).stderr).toContain('There is no chat nochat.')
  })
})

describe('completion', () => {
  it('offers the forms of the agent and the fields of the form', async () => {
    const { muster } = await office()
    expect((await muster.run('__complete', 'ask', 'ada', '--form', '')).stdout).toBe('expense\tExpense\n')
    expect((await muster.run('__complete', 'agents', 'ask-preview', 'ada', '')).stdout).toBe('expense\tExpense\n')
    expect((await muster.run('__complete', 'ask', 'ada', '--form', 'expense', '--field', 'a')).stdout).toBe(
      'amount=\tAmount\namount_currency=\tAmount\n',
    )
    expect((await muster.run('__complete', 'ask', 'nobody', '--form', '')).stdout).toBe('')
  })
})
