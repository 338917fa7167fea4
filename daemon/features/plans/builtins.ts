import type { Builtin } from '../workflows/stored/service.ts'

const built = (name: string, description: string, icon: string, color: string, steps: object[]): Builtin => ({
  name,
  description,
  icon,
  color,
  template: { name, description, steps },
})

/** Step plans that come with Muster. */
export const builtins: readonly Builtin[] = [
  built('dev-test-loop', 'Build, test, and go back until the tests pass', 'repeat', '#f59e0b', [
    { id: 'build', title: 'Build it', agent_role: 'developer' },
    {
      id: 'test',
      title: 'Test it',
      agent_role: 'tester',
      depends_on: ['build'],
      max_iterations: 3,
      loop_back_to: 'build',
    },
  ]),
  built('parallel', 'Parts that are done at once, then put together', 'git-branch', '#22c55e', [
    { id: 'part-1', title: 'Do the first part' },
    { id: 'part-2', title: 'Do the second part' },
    { id: 'join', title: 'Put the parts together', depends_on: ['part-1', 'part-2'] },
  ]),
  built('pipeline', 'Research, write and review, each with what came before', 'git-merge', '#8b5cf6', [
    { id: 'research', title: 'Find out what is needed', agent_role: 'researcher' },
    { id: 'write', title: 'Write it', agent_role: 'developer', depends_on: ['research'] },
    { id: 'review', title: 'Review it', agent_role: 'reviewer', depends_on: ['write'] },
  ]),
  built('sequential', 'One step after the other', 'arrow-right', '#3b82f6', [
    { id: 'step-1', title: 'Do the first step' },
    { id: 'step-2', title: 'Do the second step', depends_on: ['step-1'] },
    { id: 'step-3', title: 'Do the third step', depends_on: ['step-2'] },
  ]),
]
