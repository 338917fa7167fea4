import type { channels } from '#contract/channels'
import type { Reply } from '#contract/define'

type Registered = Reply<typeof channels.providers>['providers'][number]
export type Field = Registered['fields'][number]
export type Fields = Readonly<Record<string, string>>

/** A message as services show it. */
export interface Note {
  /** The same at every attempt. */
  id: string
  title: string
  /** Never empty: where there is nothing more to say, the title. */
  text: string
  priority: 'low' | 'medium' | 'high' | 'urgent'
}

export interface Request {
  method?: 'POST' | 'PUT' | 'GET'
  url: string
  headers?: Record<string, string>
  body?: string
  timeoutMs?: number
}

/** Makes a request and answers with the text of a 2xx answer; throws for everything else. */
export type Send = (request: Request) => Promise<string>

/** A service that channels send to. */
export interface Provider extends Omit<Registered, 'enabled' | 'scheme'> {
  /** The service URL of what somebody entered. */
  compose(fields: Fields): string
  /** What is wrong with a service URL; null when it can be used. */
  flaw(url: URL): string | null
  deliver(send: Send, url: URL, note: Note): Promise<void>
}

/** A field that cannot be used. */
export class FieldFlaw extends Error {
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** The service took the request and still said no. */
export class NotTaken extends Error {}
