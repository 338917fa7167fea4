import { personaParagraph } from '../../features/memory/context/service.ts'
import { synthesized } from '../../features/persona/service.ts'

/** What an agent is told about itself and its surroundings. */
export interface Situation {
  agent: { name: string; slug: string; role_title: string | null; agent_role: string; system_prompt: string | null }
  crew: { name: string }
  /** What somebody wrote for the agent or its crew; null when nobody did. */
  persona: string | null
  /** What it remembers, as it is told; empty where nothing is. */
  memory: string
  /** The other agents of the crew. */
  mates: { name: string; slug: string; role_title: string | null; agent_role: string }[]
  folders: { cwd: string; scratch: string; shared: string }
  /** What the workspace speaks; null leaves it to the people. */
  language: string | null
}

/** Preamble, persona, memory, its own prompt, roster and language, in that order. docs/rules/adapters.md, "Prompt". */
export function systemPrompt({ agent, crew, persona, memory, mates, folders, language }: Situation): string {
  const roster = mates.map((mate) => {
    const does = mate.role_title ? `, ${mate.role_title}` : ''
    return `- ${mate.name} (@${mate.slug})${does}${mate.agent_role === 'LEAD' ? ', lead' : ''}`
  })
  return [
    synthesized({ ...agent, crew_name: crew.name }),
    [
      `You work in ${folders.cwd}: what you leave there is what people see of your work.`,
      `${folders.scratch} is scratch space of your own,`,
      `${folders.shared} is shared with your crew.`,
      'Decide what you can, and say at the end what you did and what is open.',
    ].join(' '),
    [
      'The tool escalate of the server muster asks the people responsible: ' +
        'use it before what is hard to undo and for what only they can know.',
      'It waits at most five minutes; without an answer go on carefully and say what you assumed. ' +
        'Where going on makes no sense before there is',
      'an answer, use ask_human: it stops you until then, for days if need be.',
    ].join('\n'),
    personaParagraph(persona),
    memory,
    agent.system_prompt?.trim() ?? '',
    roster.length ? `Others in your crew:\n${roster.join('\n')}` : '',
    language ? `Answer in this language unless asked otherwise: ${language}.` : '',
  ]
    .filter(Boolean)
    .join('\n\n')
}
