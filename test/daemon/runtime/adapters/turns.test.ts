import { expect, it } from 'vitest'
import type { Adapter } from '#runtime/adapters/adapter'
import { codex } from '../../../../daemon/runtime/adapters/codex/index.ts'
import { droid } from '../../../../daemon/runtime/adapters/droid/index.ts'
import { opencode } from '../../../../daemon/runtime/adapters/opencode/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { recording } from '../../../support/recordings.ts'

const abortOf = (adapter: Adapter, output: Buffer, mostTurns: number) => {
  const reader = adapter.reader({ mcpServers: [], model: null, used: null })
  const parser = createParser(reader, [], { mostTurns })
  parser.feed(output)
  parser.flush()
  return parser.abort
}

it.each<[string, Adapter, string]>([
  ['codex', codex, 'codex.jsonl'],
  ['droid', droid, 'droid-tool.jsonl'],
  ['opencode', opencode, 'opencode-tool.jsonl'],
])('%s takes two turns to use a tool and to answer', (_, adapter, name) => {
  const output = recording(name)
  expect(abortOf(adapter, output, 1)).toEqual({ kind: 'turn_cap', reason: 'a run may take 1' })
  expect(abortOf(adapter, output, 2)).toBeNull()
})

it('calls of several tools in one answer are one turn', () => {
  const call = (id: string) => ({ type: 'tool_call', toolName: 'Read', id, parameters: { id } })
  const result = (id: string) => ({ type: 'tool_result', id, value: 'x' })
  const lines = [call('a'), call('b'), result('a'), result('b'), call('c'), result('c')]
  const output = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect(abortOf(droid, output, 2)).toBeNull()
  expect(abortOf(droid, output, 1)).toMatchObject({ kind: 'turn_cap' })
})
