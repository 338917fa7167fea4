import { expect, it } from 'vitest'
import { readTemplate } from '../../cli/issues/template.ts'
import { fromText, toText } from '../../cli/issues/text.ts'

it.each([
  ['Title', { title: 'Title', description: '' }],
  ['Title\n', { title: 'Title', description: '' }],
  ['\n\n Title \r\n\r\nOne\r\n\r\nTwo\n\n', { title: 'Title', description: 'One\n\nTwo' }],
  ['Title\n    code\n', { title: 'Title', description: '    code' }],
  ['', { title: '', description: '' }],
  ['  \n', { title: '', description: '' }],
])('%j is read as %j', (text, expected) => expect(fromText(text)).toEqual(expected))

it('is written as it is read', () => {
  for (const issue of [
    { title: 'A', description: '' },
    { title: 'A', description: '# B\n\n- c' },
  ])
    expect(fromText(toText(issue))).toEqual(issue)
  expect(toText({ title: 'A', description: null })).toBe('A\n')
})

it.each([
  ['# Steps\n', { title: '', labels: [], description: '# Steps' }],
  [
    '---\nname: Bug\ntitle: "Bug: "\nlabels: bug, web\n---\n\nSteps',
    { title: 'Bug: ', labels: ['bug', 'web'], description: 'Steps' },
  ],
  ['---\nlabels: [bug]\n---\nSteps', { title: '', labels: ['bug'], description: 'Steps' }],
  ['---\n---', { title: '', labels: [], description: '---\n---' }],
])('a template %j is %j', (text, expected) => expect(readTemplate(text, 'x.md')).toEqual(expected))

it('a template that begins with no YAML is refused', () =>
  expect(() => readTemplate('---\n{\n---\nSteps', 'x.md')).toThrow('x.md begins with something that is no YAML'))
