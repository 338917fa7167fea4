import { randomUUID } from 'node:crypto'
import { type Client, UnreachableError } from '#client'
import { patiently } from '../patiently.ts'

type Send = Client['chats']['send']
type Draft = Omit<Parameters<Send>[0]['body'], 'client_id'>
type Steer = Client['chats']['steer']

export const unanswered =
  'The message is in the chat. The chat is a group: its agent answers only when it is mentioned (@SLUG).'

/** How long a server may be away once a message was on its way, in milliseconds. */
const patience = 60_000
/** The message may have arrived. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'TIMEOUT'])

/** Sends a message; again, if the connection broke. Under a key of its own it is there once. */
export const sendOnce = (api: Client, chatId: string, draft: Draft): ReturnType<Send> =>
  again((client_id) => api.chats.send({ chatId, body: { ...draft, client_id } }))

/** As `sendOnce`, for an agent at work; `begin` when what it is not told in its turn is to have one of its own. */
export const steerOnce = (api: Client, chatId: string, message: string, begin = false): ReturnType<Steer> =>
  again((client_id) => api.chats.steer({ chatId, body: { message, client_id, ...(begin && { begin }) } }))

async function again<T>(send: (key: string) => Promise<T>): Promise<T> {
  const key = randomUUID()
  try {
    return await send(key)
  } catch (error) {
    if (!(error instanceof UnreachableError) || !broken.has(error.reason)) throw error
    return patiently(() => send(key), patience)
  }
}
