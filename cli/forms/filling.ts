import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { type Client, type Connection, ProblemError } from '#client'
import type { AnswerError, AskValue } from '#contract/ask-forms'
import { ask, InputError } from '../input.ts'
import { fileFlaw, type Uploaded, upload } from '../uploads.ts'
import { type Answers, answersGiven, type FormOfAgent, formOf, isUpload } from './forms.ts'
import { type Preview, preview } from './preview.ts'
import { askField } from './questions.ts'

/** What is sent. */
export interface Message {
  content: string
  metadata?: Record<string, unknown>
}

interface Given {
  fields: readonly string[]
  /** Files of this machine that belong to no field. */
  attach: readonly string[]
  /** Whether the person can be asked what is missing. */
  asks: boolean
  chatId: string | undefined
  /** Told what is wrong with an answer that is asked for again. */
  note(text: string): void
}

/** A form that is being filled in. */
export class Filling {
  private readonly api: Client
  private readonly connection: Connection
  readonly of: FormOfAgent
  private readonly given: Given
  private answers: Answers
  private attach: string[]

  constructor(api: Client, connection: Connection, of: FormOfAgent, given: Given) {
    this.api = api
    this.connection = connection
    this.of = of
    this.given = given
    this.answers = answersGiven(of.form, given.fields)
    this.attach = [...given.attach]
    for (const file of this.files()) {
      const flaw = fileFlaw(file)
      if (flaw) throw new InputError(flaw)
    }
  }

  /** Asks for what was not given, and again for what cannot be used. */
  async complete(): Promise<Preview> {
    const { asks, note } = this.given
    if (asks) for (const { name } of this.of.form.fields) if (!(name in this.answers)) await this.ask(name)
    if (asks && !this.attach.length) await this.askAttachment()
    for (;;) {
      try {
        return await this.preview(this.given.chatId)
      } catch (error) {
        const wrong = asks ? errorsOf(error) : []
        if (!wrong.length) throw error
        for (const { detail } of wrong) note(detail)
        const names = this.named(wrong)
        if (!names.length) throw error
        for (const name of names) await this.ask(name)
      }
    }
  }

  /** The message as it is sent in this chat, to which its files are given first. Without a chat it is only shown. */
  async message(chatId?: string): Promise<Message> {
    const sent = chatId === undefined ? new Map<string, Uploaded>() : await this.send(chatId)
    const { form_id, form_label, form_version, rendered_text } = await this.preview(chatId, sent)
    const uploads = this.of.form.fields.filter(isUpload).map(({ name }) => name)
    const values = Object.fromEntries(Object.entries(this.answers).filter(([name]) => !uploads.includes(name)))
    const ids = uploads.flatMap((name): [string, string[]][] => {
      const of = this.items(name).flatMap((item) => sent.get(item.slice(1))?.id ?? [])
      return of.length ? [[name, of]] : []
    })
    const submission = {
      submission_id: randomUUID(),
      form_id,
      form_label,
      form_version,
      values,
      ...(ids.length && { field_attachment_ids: Object.fromEntries(ids) }),
      rendered_text,
    }
    return { content: rendered_text, metadata: { ask_submission: submission } }
  }

  /** Files that have not been sent are there by their bare name. */
  private preview(chatId = 'new-chat', sent: ReadonlyMap<string, Uploaded> = new Map()): Promise<Preview> {
    const pathOf = (file: string) => sent.get(file)?.path ?? basename(file)
    const placed = (item: string) => (item.startsWith('@') ? pathOf(item.slice(1)) : item)
    const uploads = this.of.form.fields.filter(isUpload).filter(({ name }) => name in this.answers)
    const values: Record<string, AskValue> = { ...this.answers }
    for (const { name } of uploads) values[name] = this.items(name).map(placed)
    const attachments = this.attach.map((file) => sent.get(file)?.path ?? `attachments/${chatId}/${basename(file)}`)
    return preview(this.api, this.of, { values, attachments, chatId })
  }

  /** Gives the files to the chat, each once. */
  private async send(chatId: string): Promise<Map<string, Uploaded>> {
    const sent = new Map<string, Uploaded>()
    for (const file of new Set(this.files()))
      sent.set(file, await upload(this.connection, { agentId: this.of.agentId, chatId, file }))
    return sent
  }

  /** What was answered to a field with files: paths of this machine after an `@`, and paths of uploads. */
  private items(name: string): string[] {
    const value = this.answers[name]
    return value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String)
  }

  /** The files of this machine that go along. */
  private files(): string[] {
    const items = this.of.form.fields.filter(isUpload).flatMap(({ name }) => this.items(name))
    return [...items.filter((item) => item.startsWith('@')).map((item) => item.slice(1)), ...this.attach]
  }

  private async askAttachment(): Promise<void> {
    const { attachment } = this.of.form
    if (attachment === 'none') return
    const needed = attachment === 'required' && !this.files().length
    const flaw = (path: string) =>
      path.trim() ? fileFlaw(path.trim()) : needed ? 'Enter the path of a file.' : undefined
    const path = (await ask(needed ? 'File' : 'File (optional)', flaw)).trim()
    if (path) this.attach.push(path)
  }

  private async ask(name: string): Promise<void> {
    const field = this.of.form.fields.find((it) => it.name === name)!
    delete this.answers[name]
    delete this.answers[`${name}_currency`]
    Object.assign(this.answers, await askField(field, fileFlaw))
  }

  /** The fields that these errors are about; the currency of money belongs to its field. */
  private named(errors: AnswerError[]): string[] {
    const fields = this.of.form.fields.map(({ name }) => name)
    const names = errors.map(({ field }) => (fields.includes(field) ? field : field.replace(/_currency$/, '')))
    return [...new Set(names.filter((name) => fields.includes(name)))]
  }
}

/** What a refusal says of each answer. */
function errorsOf(error: unknown): AnswerError[] {
  if (!(error instanceof ProblemError) || error.problem.code !== 'invalid_answers') return []
  const { errors } = error.problem as { errors?: AnswerError[] }
  return Array.isArray(errors) ? errors : []
}

/** Opens a form of an agent. */
export const fillingOf = async (
  { api, connection }: { api: Client; connection: Connection },
  agent: string,
  form: string,
  given: Given,
): Promise<Filling> => new Filling(api, connection, await formOf(api, agent, form), given)
