import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '#contract/frames'
import { createParser, type LineReader } from '../../../../daemon/runtime/adapters/parser.ts'

const secret = 'ghp_4711/offered+today'

/** A client whose adapter passes on whatever its lines say. */
const passOn: LineReader = (line, { frame, facts }) => {
  if (line['type'] === 'frame') frame(line['frame'] as AgentFrame)
  if (line['type'] === 'facts') Object.assign(facts, line['facts'])
}
const parse = (...lines: object[]) => {
  const parser = createParser(passOn)
  const frames = lines.flatMap((line) => parser.feed(Buffer.from(`${JSON.stringify(line)}\n`)))
  return { parser, frames: [...frames, ...parser.flush()] }
}
const called = (input: unknown, tool_name = 'escalate') => ({
  type: 'frame',
  frame: { type: 'tool_call', content: tool_name, metadata: { tool_name, tool_id: 't1', input } },
})
const offer = { reason: 'keep it', type: 'CREDENTIAL', metadata: { name: 'n', value: secret } }

describe('an offered secret', () => {
  it.each<[string, unknown, unknown]>([
    ['as an object', offer, { ...offer, metadata: '[redacted]' }],
    [
      'with the sealed part as text',
      { ...offer, metadata: JSON.stringify(offer.metadata) },
      { ...offer, metadata: '[redacted]' },
    ],
    ['in words', { ...offer, metadata: secret }, { ...offer, metadata: '[redacted]' }],
    [
      'within another call',
      { server: 'muster', calls: [{ arguments: offer }] },
      { server: 'muster', calls: [{ arguments: { ...offer, metadata: '[redacted]' } }] },
    ],
    ['as JSON text', JSON.stringify(offer), JSON.stringify({ ...offer, metadata: '[redacted]' })],
  ])('%s is not on record with the offer', (_, input, shown) => {
    const { frames } = parse(called(input, 'whatever the client calls it'))
    expect(frames).toMatchObject([{ type: 'tool_call', metadata: { input: shown } }])
  })

  it.each<[string, unknown]>([
    ['as an object', offer.metadata],
    ['as JSON text', JSON.stringify(offer.metadata)],
    ['in words', secret],
  ])('%s is known from then on', (_, metadata) => {
    const said = { type: 'frame', frame: { type: 'text', content: `I offered ${secret}` } }
    expect(parse(called({ ...offer, metadata }), said).frames[1]).toEqual({
      type: 'text',
      content: 'I offered [redacted]',
    })
  })

  it('is cut out of everything that comes after it, and of what is known of the run', () => {
    const { parser, frames } = parse(
      called(offer),
      { type: 'frame', frame: { type: 'text', content: `I offered ${secret}` } },
      {
        type: 'frame',
        frame: { type: 'tool_result', content: btoa(`x${secret}`), metadata: { tool_use_id: 't1', tool_id: 't1' } },
      },
      { type: 'facts', facts: { result_text: secret, failure: { kind: 'internal', reason: secret } } },
    )
    expect(JSON.stringify([frames, parser.facts])).not.toContain('4711')
    expect(frames.map((frame) => ('content' in frame ? frame.content : ''))).toEqual([
      'escalate',
      'I offered [redacted]',
      expect.stringContaining('[redacted]'),
    ])
    expect(parser.facts).toMatchObject({ result_text: '[redacted]', failure: { reason: '[redacted]' } })
    expect(parser.clean({ [`said before: ${secret}`]: [secret] })).toEqual({
      'said before: [redacted]': ['[redacted]'],
    })
  })

  it('is known even where an adapter makes something else than a call of it', () => {
    const { frames } = parse({
      type: 'frame',
      frame: { type: 'text', content: `calling escalate(${secret})` },
      call: { arguments: offer },
    })
    expect(frames).toEqual([{ type: 'text', content: 'calling escalate([redacted])' }])
  })

  it('is looked for in no text that is nested too deep to be walked', () => {
    const deep = `{"type":"CREDENTIAL","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(parse(called(deep)).frames).toMatchObject([{ metadata: { input: deep } }])
  })

  it('is a secret from four characters on', () => {
    const short = (value: string) => called({ ...offer, metadata: { value } })
    const said = (content: string) => ({ type: 'frame', frame: { type: 'text', content } })
    expect(parse(short('hunt'), said('hunter')).frames[1]).toEqual({ type: 'text', content: '[redacted]er' })
    expect(parse(short('hun'), said('hunter')).frames[1]).toEqual({ type: 'text', content: 'hunter' })
  })

  it('is not taken for one in other questions, in other tools, or in a file that the agent looks at', () => {
    const question = { reason: 'look', type: 'TEXT', metadata: { value: secret } }
    const file = { type: 'tool_result', content: JSON.stringify(offer), metadata: { tool_use_id: 't', tool_id: 't' } }
    const { frames } = parse(called(question), { type: 'frame', frame: file })
    expect(frames).toEqual([called(question).frame, file])
  })
})
