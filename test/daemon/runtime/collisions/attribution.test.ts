import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '#contract/frames'
import { type Working, writesOf } from '../../../../daemon/runtime/collisions/attribution.ts'
import { createCalls } from '../../../../daemon/runtime/collisions/calls.ts'
import { writtenPaths } from '../../../../daemon/runtime/collisions/written-paths.ts'

const run = (runId: string, agentId: string, uid: number, from = 0, until: number | null = null): Working => ({
  runId,
  agentId,
  uid,
  from,
  until,
})
const ada = run('r-ada', 'ada', 20001)
const bob = run('r-bob', 'bob', 20002)
const at = 100_000
const path = '/crew/shared/app.ts'
const seen = (how: 'new' | 'in' | 'old', uid: number, when = at) => ({ how, uid, at: when, path })

const call = (id: string, tool_name: string, input: unknown): AgentFrame => ({
  type: 'tool_call',
  content: tool_name,
  metadata: { tool_name, tool_id: id, input },
})
const answer = (id: string): AgentFrame => ({
  type: 'tool_result',
  content: '',
  metadata: { tool_id: id, tool_use_id: id },
})

const told = (...given: Parameters<typeof writesOf>) =>
  writesOf(...given).map(({ run: { runId }, certain }) => `${runId}${certain ? '' : '?'}`)

describe('who wrote a file', () => {
  it('is its owner, where it was created or replaced', () => {
    expect(told(seen('new', 20002), [ada, bob], createCalls())).toEqual(['r-bob'])
  })

  it('is nobody whose run was not open then', () => {
    const late = run('r-late', 'bob', 20002, at + 5000)
    const gone = run('r-gone', 'bob', 20002, 0, at - 5000)
    expect(told(seen('new', 20002), [ada, late, gone], createCalls())).toEqual([])
    expect(told(seen('new', 20009), [ada, bob], createCalls())).toEqual([])
  })

  it('is the run of the owner whose tool names it, else the newest', () => {
    const calls = createCalls()
    const second = run('r-second', 'ada', 20001, 50)
    expect(told(seen('new', 20001), [ada, second], calls)).toEqual(['r-second'])
    calls.saw('r-ada', '/', call('1', 'Write', { file_path: path }), at)
    expect(told(seen('new', 20001), [ada, second], calls)).toEqual(['r-ada'])
  })

  it('is who names it among the files that a tool writes, where it was written in place', () => {
    const calls = createCalls()
    calls.saw('r-ada', '/', call('1', 'Bash', { command: 'make' }), at - 100)
    calls.saw('r-bob', '/crew/shared', call('1', 'replace', { file_path: 'app.ts' }), at - 100)
    expect(told(seen('in', 20001), [ada, bob], calls)).toEqual(['r-bob'])
  })

  it('is both, where the tools of both name it', () => {
    const calls = createCalls()
    for (const id of ['r-ada', 'r-bob']) calls.saw(id, '/', call('1', 'edit', { filePath: path }), at)
    expect(told(seen('in', 20001), [ada, bob], calls)).toEqual(['r-ada', 'r-bob'])
  })

  it('is the only agent with a tool at work, which is certain of its own file alone', () => {
    const calls = createCalls()
    calls.saw('r-bob', '/', call('1', 'Bash', { command: 'make' }), at - 1)
    expect(told(seen('in', 20001), [ada, bob], calls)).toEqual(['r-bob?'])
    expect(told(seen('in', 20002), [ada, bob], calls)).toEqual(['r-bob'])
  })

  it('is not told where several agents have a tool at work, or none has', () => {
    const calls = createCalls()
    expect(told(seen('in', 20001), [ada, bob], calls)).toEqual([])
    for (const id of ['r-ada', 'r-bob']) calls.saw(id, '/', call('1', 'Bash', {}), at - 1)
    expect(told(seen('in', 20001), [ada, bob], calls)).toEqual([])
    calls.saw('r-ada', '/', answer('1'), at - 1)
    expect(told(seen('in', 20001, at + 5000), [ada, bob], calls)).toEqual(['r-bob?'])
    calls.ended('r-bob', at)
    expect(told(seen('in', 20001, at + 5000), [ada, bob], calls)).toEqual([])
  })

  it('is the owner of what is found later: certainly, where nobody else worked then', () => {
    const later = run('r-later', 'bob', 20002, at + 10_000)
    expect(told(seen('old', 20001), [ada, later], createCalls())).toEqual(['r-ada'])
    expect(told(seen('old', 20001), [ada, bob], createCalls())).toEqual(['r-ada?'])
  })
})

describe('the files that a tool call writes', () => {
  const cases: [tool: string, input: unknown, paths: string[]][] = [
    ['Write', { file_path: '/crew/shared/a', content: 'x' }, ['/crew/shared/a']],
    ['Edit', { file_path: '../../crew/shared/a' }, ['/crew/shared/a']],
    ['MultiEdit', { file_path: '/a' }, ['/a']],
    ['NotebookEdit', { notebook_path: '/n.ipynb' }, ['/n.ipynb']],
    ['write_file', { file_path: '/a' }, ['/a']],
    ['replace', { file_path: '/a' }, ['/a']],
    ['edit', { filePath: 'a' }, ['/output/ada/a']],
    ['Create', { file_path: '/a' }, ['/a']],
    ['file_edit', { changes: [{ path: '/a', kind: 'update' }, { path: 'b' }] }, ['/a', '/output/ada/b']],
    [
      'apply_patch',
      { patchText: '*** Begin Patch\n*** Update File: /a\n@@\n*** Add File: b\n' },
      ['/a', '/output/ada/b'],
    ],
    ['mcp__files__write_file', { path: '/a' }, ['/a']],
    ['Read', { file_path: '/a' }, []],
    ['Bash', { command: 'echo > /a' }, []],
    ['Grep', { path: '/a' }, []],
    ['Write', null, []],
    ['Write', { file_path: 7 }, []],
    ['Write', { changes: 'no list', file_path: 'x'.repeat(5000) }, []],
  ]
  it.each(cases)('%s %j', (tool, input, paths) => {
    expect(writtenPaths(tool, input, '/output/ada')).toEqual(paths)
  })

  it('are no more than a tool can write', () => {
    const changes = Array.from({ length: 5000 }, (_, n) => ({ path: `/f${n}` }))
    expect(writtenPaths('file_edit', { changes }, '/')).toHaveLength(100)
  })
})
