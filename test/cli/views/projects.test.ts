import { expect, it } from 'vitest'
import { human, plain } from '../../../cli/output/cell.ts'
import { projectStatsView } from '../../../cli/views/projects.ts'

it('statistics name the first few crews for people, and all of them for programs', () => {
  const crews = Array.from({ length: 12 }, (_, n) => `Crew ${n}`)
  const none = { total_issues: 0, completed_issues: 0, by_status: {}, by_assignee: [], by_label: [] }
  const cell = projectStatsView.columns['Crews']!({ ...none, crews })
  expect(human(cell).text).toMatch(/^Crew 0, .*Crew 9, 2 more$/)
  expect(plain(cell)).toBe(crews.join(', '))
})
