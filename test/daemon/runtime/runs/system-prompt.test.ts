import { expect, it } from 'vitest'
import { type Situation, systemPrompt } from '../../../../daemon/runtime/runs/system-prompt.ts'

const ada = { name: 'Ada', slug: 'ada', role_title: null, agent_role: 'MEMBER', system_prompt: null }
const folders = { cwd: '/work/ada', scratch: '/tmp/ada', shared: '/shared' }
const situation: Situation = {
  agent: ada,
  crew: { name: 'Backend' },
  persona: null,
  memory: '',
  mates: [],
  folders,
  language: null,
}
const paragraphs = (more: Partial<Situation> = {}) => systemPrompt({ ...situation, ...more }).split('\n\n')

it('names the agent, its crew, its folders and the ways to ask', () => {
  const [who, where, how, ...more] = paragraphs()
  expect(who).toBe('You are Ada (@ada), a coding agent of the crew "Backend".')
  expect(where).toBe(
    'You work in /work/ada: what you leave there is what people see of your work. ' +
      '/tmp/ada is scratch space of your own, /shared is shared with your crew. ' +
      'Decide what you can, and say at the end what you did and what is open.',
  )
  expect(how).toBe(
    'The tool escalate of the server muster asks the people responsible: use it before what is hard to undo and for ' +
      'what only they can know.\nIt waits at most five minutes; without an answer go on carefully and say what you ' +
      'assumed. Where going on makes no sense before there is\nan answer, use ask_human: it stops you until then, ' +
      'for days if need be.',
  )
  expect(more).toEqual([])
})

it('adds title and lead, its own prompt, the others of its crew and the language, in this order', () => {
  const [who, , , ...more] = paragraphs({
    agent: { ...ada, role_title: 'Architect', agent_role: 'LEAD', system_prompt: ' Be brief. \n' },
    mates: [
      { name: 'Bob', slug: 'bob', role_title: 'Tester', agent_role: 'MEMBER' },
      { name: 'Eve', slug: 'eve', role_title: null, agent_role: 'LEAD' },
    ],
    language: 'German',
  })
  expect(who).toBe('You are Ada (@ada), Architect, a coding agent of the crew "Backend". You lead this crew.')
  expect(more).toEqual([
    'Be brief.',
    'Others in your crew:\n- Bob (@bob), Tester\n- Eve (@eve), lead',
    'Answer in this language unless asked otherwise: German.',
  ])
})
