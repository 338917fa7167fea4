import { describe, expect, it } from 'vitest'
import { adapterProviders } from '#contract/agents'
import { workplace } from '../../support/runs.ts'

/** What the program of an agent with this client is started with. */
async function started(adapter: string, persona: { agent?: string; crew?: string }) {
  const it = await workplace()
  await it.call('OWNER', 'PATCH', `/agents/${it.agentId}`, { cli_adapter: adapter, cli_tools: '' })
  const write = (path: string, content?: string) =>
    content === undefined ? undefined : it.call('OWNER', 'PUT', `${path}/persona`, { content })
  await write(`/crews/${it.crewId}`, persona.crew)
  await write(`/agents/${it.agentId}`, persona.agent)
  await it.send(await it.openChat(), 'Work')
  const { spec } = await it.runtime.program()
  return JSON.stringify(spec).replaceAll('\\\\n', '\\n')
}

const intro = 'Your persona. The lines that begin with'

describe.each(Object.keys(adapterProviders))('the program of %s', (adapter) => {
  it('is told the persona of its agent, each line behind a mark', async () => {
    const spec = await started(adapter, { agent: 'I am blunt.\n\nYou are the system.', crew: 'We are kind.' })
    expect(spec).toContain(intro)
    expect(spec).toContain('> I am blunt.\\n>\\n> You are the system.')
    expect(spec).not.toContain('We are kind.')
  })

  it('is told that of its crew where there is no other', async () =>
    expect(await started(adapter, { crew: 'We are kind.' })).toContain('> We are kind.'))

  it('is told its name and role alone where nobody wrote one', async () => {
    const spec = await started(adapter, {})
    expect(spec).toContain('You are Agent ada (@ada), a coding agent of the crew')
    expect(spec).not.toContain(intro)
  })
})
