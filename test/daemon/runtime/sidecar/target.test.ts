import { expect, it } from 'vitest'
import { readTarget } from '#runtime/sidecar/target'
import { anthropic } from '../../../../daemon/providers/anthropic/provider.ts'
import { google } from '../../../../daemon/providers/google.ts'
import { openai } from '../../../../daemon/providers/openai.ts'

const { calls: anthropicCalls, headers: anthropicHeaders } = anthropic.vendor!
const { calls: openaiCalls, headers: openaiHeaders } = openai.vendor!
const { calls: googleCalls, headers: googleHeaders } = google.vendor!

it.each([
  ['POST', '/v1/messages', '/v1/messages'],
  ['POST', '/v1/messages?beta=true', '/v1/messages?beta=true'],
  ['POST', '/v1/messages?beta=true&beta=false&key=k&api_key=k#&Beta=1', '/v1/messages?beta=true'],
  ['POST', '/v1/messages?beta=a%26key=b%0d%0a&', '/v1/messages?beta=a%26key%3Db%0D%0A'],
  ['POST', '/v1/messages?', '/v1/messages'],
  ['POST', '/v1/%6d%65ssages', '/v1/messages'],
  ['GET', '/v1/models/claude-opus-4-8', '/v1/models/claude-opus-4-8'],
])('%s %s goes to the vendor as %s', (method, target, path) => {
  expect(readTarget(method, target, anthropicCalls)).toEqual({ path })
})

it.each([
  ['POST', '/v1/files', 'path'],
  ['POST', '/v1/messages/batches', 'path'],
  ['GET', '/v1/models/a%2fb', 'path'],
  ['GET', '/v1/models/a:b', 'path'],
  ['POST', '/v1/Messages', 'path'],
  ['GET', '/v1/messages', 'method'],
  ['post', '/v1/messages', 'method'],
  ['POST', '/v1//messages', 'odd'],
  ['POST', '/v1/messages/', 'odd'],
  ['POST', '/v1/./messages', 'odd'],
  ['POST', '/v1/x/%2e%2E/messages', 'odd'],
  ['POST', '/v1/messages#', 'odd'],
  ['POST', '/v1/messages%', 'odd'],
  ['POST', '/v1/messages%00', 'odd'],
  ['POST', '/v1/messages%20HTTP/1.1', 'odd'],
  ['POST', '/v1/m\u00e9ssages', 'odd'],
])('%s %s goes nowhere (%s)', (method, target, refused) => {
  expect(readTarget(method, target, anthropicCalls)).toEqual({ refused })
})

it('a dot in the path of a call is no other character', () => {
  const passed = [{ method: 'GET', path: '/v1.0/models', parameters: [] }] as const
  expect(readTarget('GET', '/v1.0/models', passed)).toEqual({ path: '/v1.0/models' })
  expect(readTarget('GET', '/v1x0/models', passed)).toEqual({ refused: 'path' })
})

it('each vendor has the calls that its clients make, and no more', () => {
  const paths = (calls: typeof googleCalls) => calls.map(({ method, path }) => `${method} ${path}`)
  expect(paths(anthropicCalls)).toEqual([
    'POST /v1/messages',
    'POST /v1/messages/count_tokens',
    'GET /v1/models',
    'GET /v1/models/{model}',
  ])
  expect(paths(openaiCalls)).toEqual([
    'POST /v1/responses',
    'POST /v1/chat/completions',
    'GET /v1/models',
    'GET /v1/models/{model}',
  ])
  expect(paths(googleCalls.slice(0, 5))).toEqual([
    'POST /v1beta/models/{model}:generateContent',
    'POST /v1beta/models/{model}:streamGenerateContent',
    'POST /v1beta/models/{model}:countTokens',
    'GET /v1beta/models',
    'GET /v1beta/models/{model}',
  ])
  expect(
    readTarget('POST', '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse&key=k', googleCalls),
  ).toEqual({
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  })
  expect(readTarget('POST', '/v1beta/models/m:generateContent:x', googleCalls)).toEqual({ refused: 'path' })
})

// As recorded from Claude Code 2.1.197, Codex 0.169.0 and Gemini CLI 0.61.0.
const recorded: [RegExp, string][] = [
  [
    anthropicHeaders,
    'accept accept-encoding content-type user-agent x-claude-code-session-id x-stainless-arch ' +
      'x-stainless-retry-count x-stainless-runtime-version anthropic-beta ' +
      'anthropic-dangerous-direct-browser-access anthropic-version x-app',
  ],
  [
    openaiHeaders,
    'accept content-type user-agent originator version openai-beta session-id thread-id x-client-request-id ' +
      'x-codex-beta-features x-codex-window-id x-codex-turn-metadata x-openai-internal-codex-responses-lite',
  ],
  [googleHeaders, 'accept accept-encoding accept-language content-type user-agent x-goog-api-client'],
]

it.each(recorded)('what the clients send goes with a call: %s', (allowed, names) => {
  expect(names.split(' ').filter((name) => !allowed.test(name))).toEqual([])
})

it.each([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'x-api-key',
  'authorization',
  'x-goog-api-key',
  'cookie',
  'x-goog-user-project',
])('%s of a client never does', (name) => {
  expect([anthropicHeaders, openaiHeaders, googleHeaders].some((allowed) => allowed.test(name))).toBe(false)
})

it.each([
  'anthropic-workspace-id',
  'openai-organization',
  'openai-project',
  'x-openai-actor-authorization',
  'x-api-key-',
  ' accept',
])('%s does not, either', (name) => {
  expect([anthropicHeaders, openaiHeaders, googleHeaders].some((allowed) => allowed.test(name))).toBe(false)
})
