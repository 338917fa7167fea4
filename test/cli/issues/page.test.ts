import { expect, it } from 'vitest'
import { issuePage, type WholeIssue } from '../../../cli/issues/page.ts'
import { widthOf } from '../../../cli/output/width.ts'

const issue = (said: string) =>
  ({
    identifier: 'WEB-1',
    title: 'Fix it',
    description: null,
    status: 'REVIEW',
    priority: 'none',
    assignee_name: 'Ada',
    labels: [],
    created_by: { type: 'user', name: 'Ann' },
    created_at: '2026-01-01T00:00:00Z',
    comments: [],
    activity: [],
    runs: [{ id: 'crun1', status: 'COMPLETED', agent_name: 'Ada', duration_ms: 2000, result_summary: said }],
  }) as unknown as WholeIssue

const textOf = (said: string, width: number) =>
  issuePage(issue(said), width)
    .map((row) => row.map(({ text }) => text).join(''))
    .find((line) => line.includes('crun1'))!

it('the page of an issue has a line for each run, as wide as the page, that ends with its id', () => {
  expect(textOf('Done.', 80)).toMatch(/^ {2}completed {2}Ada {2}2\s?s {2}Done\. {2}crun1$/)
  for (const said of ['I looked at all of it. '.repeat(40), '漢字'.repeat(100), 'one\ntwo\n'.repeat(50)]) {
    const line = textOf(said, 80)
    expect(widthOf(line)).toBeLessThanOrEqual(80)
    expect(line).toMatch(/… {2}crun1$/)
  }
})
