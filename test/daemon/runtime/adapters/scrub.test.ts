import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '#contract/frames'
import { createScrubber } from '../../../../daemon/runtime/adapters/scrub.ts'

const secret = 'sk-ant-api03-Zm9v/bar+"q\\uote"-end'
const pem = [
  '-----BEGIN KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  '-----END KEY-----',
].join('\n')
const base64 = (text: string) => Buffer.from(text).toString('base64')

const say = (content: string, speaker?: string): AgentFrame =>
  speaker
    ? { type: 'text', content, metadata: { parent_tool_use_id: speaker, subagent: true } }
    : { type: 'text', content }
const think = (content: string): AgentFrame => ({ type: 'thinking', content, metadata: { streaming: true } })
const textOf = (frames: AgentFrame[]) => frames.map((frame) => ('content' in frame ? frame.content : '')).join('')

describe('clean', () => {
  it.each([
    ['as it is', `key=${secret};`, 'key=[redacted];'],
    ['in JSON', JSON.stringify({ key: secret }), '{"key":"[redacted]"}'],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ key: secret })), '"{\\"key\\":\\"[redacted]\\"}"'],
    ['in a URL', `https://x/?k=${encodeURIComponent(secret)}&y`, 'https://x/?k=[redacted]&y'],
    ['in hex', Buffer.from(secret).toString('hex'), '[redacted]'],
  ])('finds a secret %s', (_, text, expected) => expect(createScrubber([secret]).clean(text)).toBe(expected))

  it.each(['', 'a', 'ab', 'abc', 'Authorization: '])(
    'leaves nothing to read of a secret in base64 after %j',
    (before) => {
      for (const after of ['', '\n', 'xy', 'tail']) {
        const shown = createScrubber([secret]).clean(base64(before + secret + after))
        const readable = [0, 1, 2, 3]
          .map((skip) => Buffer.from(shown.replace('[redacted]', '').slice(skip), 'base64').toString('latin1'))
          .join(' ')
        expect(shown).toContain('[redacted]')
        for (let at = 0; at + 4 <= secret.length; at++) expect(readable).not.toContain(secret.slice(at, at + 4))
      }
    },
  )

  it('finds base64 that was broken into lines', () => {
    const wrapped = base64(`Authorization: Bearer ${secret}${secret}`).replace(/.{19}/g, '$&\n')
    expect(createScrubber([secret]).clean(wrapped).replace(/\s/g, '').length).toBeLessThan(56)
  })

  it('finds the lines of a key one by one', () => {
    const { clean } = createScrubber([`${pem}\n`])
    expect(clean(pem)).toBe('[redacted]')
    expect(clean(`${pem.split('\n')[1]} and more`)).toBe('[redacted] and more')
  })

  it('goes through objects, lists and names of members', () => {
    const { clean } = createScrubber([secret])
    expect(clean({ a: [secret, 1, null, true], [secret]: { b: `x${secret}` } })).toEqual({
      a: ['[redacted]', 1, null, true],
      '[redacted]': { b: 'x[redacted]' },
    })
  })

  it('copies only what holds a secret, and keeps every member in its place', () => {
    const plain = 'sk-of-ada-0123456789'
    const { clean } = createScrubber([plain])
    const pure = { a: [1, { b: 'word' }], c: null }
    expect(clean(pure)).toBe(pure)
    const mixed = JSON.parse(`{"pure":[1,"word"],"__proto__":{"own":"x${plain}"},"list":[0,"${plain}",2],"end":true}`)
    const cleaned = clean(mixed)
    expect(JSON.stringify(cleaned)).toBe(
      '{"pure":[1,"word"],"__proto__":{"own":"x[redacted]"},"list":[0,"[redacted]",2],"end":true}',
    )
    expect(cleaned.pure).toBe(mixed.pure)
    expect(mixed.list[1]).toBe(plain)
  })

  it('takes words for words', () => {
    expect(createScrubber(['', 'short', ' 1234567 ']).clean('short 1234567')).toBe('short 1234567')
  })
})

describe('pass', () => {
  it('never lets a secret out in pieces, and loses nothing else', () => {
    const other = 'sk-ant-oat01-abcabcabc'
    const word = fc.constantFrom(
      secret,
      other,
      'sk-ant-',
      'abc',
      ' ',
      's',
      'k',
      'hello',
      base64(secret),
      JSON.stringify(secret),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.array(fc.nat(200), { maxLength: 60 }), (words, cuts) => {
        const text = words.join('')
        const ends = [...new Set([...cuts.filter((cut) => cut < text.length), text.length])].sort((a, b) => a - b)
        const scrubber = createScrubber([secret, other])
        const out = ends.flatMap((end, n) => scrubber.pass(say(text.slice(ends[n - 1] ?? 0, end))))
        expect(textOf([...out, ...scrubber.flush()])).toBe(createScrubber([secret, other]).clean(text))
      }),
      { numRuns: 400 },
    )
  })

  it('holds back only what could be a secret', () => {
    const { pass } = createScrubber([secret])
    expect(textOf(pass(say('The key is sk-a')))).toBe('The key is ')
    expect(textOf(pass(say('b!')))).toBe('sk-ab!')
    expect(textOf(pass(say('nothing here')))).toBe('nothing here')
  })

  it('waits for the longer of two secrets that begin alike', () => {
    const { pass, flush } = createScrubber(['token-of-ada', 'token-of-ada-and-bob'])
    expect(textOf([...pass(say('token-of-ada')), ...pass(say('-and-b')), ...pass(say('ob')), ...flush()])).toBe(
      '[redacted]',
    )
    expect(textOf([...pass(say('token-of-ada')), ...pass(say('!')), ...flush()])).toBe('[redacted]!')
  })

  it('does not let one speaker hide the secret of another', () => {
    const { pass, flush } = createScrubber([secret])
    const out = [...pass(say(secret.slice(0, 9))), ...pass(say('hello ', 'sub')), ...pass(say(secret.slice(9)))]
    expect(textOf([...out, ...flush()])).toBe('hello [redacted]')
  })

  it('lets text go first when something else follows', () => {
    const { pass } = createScrubber([secret])
    const call: AgentFrame = {
      type: 'tool_call',
      content: 'Bash',
      metadata: { tool_name: 'Bash', tool_id: 't', input: { command: `echo ${secret}` } },
    }
    expect([...pass(say('ends with s')), ...pass(call)]).toEqual([
      say('ends with '),
      say('s'),
      { ...call, metadata: { tool_name: 'Bash', tool_id: 't', input: { command: 'echo [redacted]' } } },
    ])
  })

  it('keeps what is thought in pieces', () => {
    const { pass, flush } = createScrubber([secret])
    const out = [...pass(think(secret.slice(0, 9))), ...pass(think(secret.slice(9)))]
    expect([textOf([...out, ...flush()]), flush()]).toEqual(['[redacted]', []])
  })

  it('tells two helpers apart', () => {
    const { pass, flush } = createScrubber([secret])
    const out = [...pass(say(secret.slice(0, 9), 'one')), ...pass(say('hello ', 'two'))]
    expect(textOf(out)).toBe('hello ')
    expect([textOf(flush('two')), textOf(flush('one')), flush()]).toEqual(['', secret.slice(0, 9), []])
  })

  it('keeps thinking and saying apart', () => {
    const { pass, flush } = createScrubber([secret])
    expect([...pass(think('sk-')), ...pass(say('sk-')), ...flush()]).toEqual([think('sk-'), say('sk-')])
  })

  it('does not let notes of the system open a gap', () => {
    const { pass, flush } = createScrubber([secret])
    const note: AgentFrame = { type: 'system', content: 'note', metadata: { subtype: 'api_retry' } }
    expect(textOf([...pass(say(secret.slice(0, 12))), ...pass(note), ...pass(say(secret.slice(12))), ...flush()])).toBe(
      'note[redacted]',
    )
  })
})
