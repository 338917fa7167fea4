import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'

/** Answers with JSON. */
export function say(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text)
}
