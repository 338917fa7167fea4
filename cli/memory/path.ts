const main = { agent: 'AGENT.md', crew: 'CREW.md', workspace: 'WORKSPACE.md' }

/** The memory that a person names: `ada` and `agent:ada` are the main file of an agent. */
export function memoryPath(called: string): string {
  const whole = called.includes(':') || called === 'workspace' ? called : `agent:${called}`
  if (/^workspace:?\/?$/.test(whole)) return `workspace:${main.workspace}`
  const bare = /^(agent|crew):([^/]+)\/?$/.exec(whole)
  return bare ? `${bare[1]}:${bare[2]}/${main[bare[1] as 'agent' | 'crew']}` : whole
}

/** Whose memory a person names. */
export function memoryOwner(called: string): string {
  if (called.includes(':')) return called
  return called === 'workspace' ? 'workspace:' : `agent:${called}`
}

export const pathHelp =
  'agent, or a path such as agent:ada/daily/2026-11-26.md, crew:web/CREW.md, workspace:WORKSPACE.md'
