import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CliAdapter } from '../../src/contract/agents.ts'
import { endingOfFile } from './endings.ts'
import { agentProcesses, bridgeAddress, containerOf, engineMissing, removeInstallation } from './engine.ts'
import { everythingServer } from './everything-server.ts'
import { endsIn, type Installation, install, spoken } from './installation.ts'
import { leaveOut } from './leave-out.ts'
import type { ModelEndpoint, Script, ScriptedTool, ScriptedTurn } from './model-endpoint.ts'
import { buildServerImage } from './server-image.ts'

/** A vendor's client in a crew's container, and how its model service talks. */
export interface Contained<B> {
  adapter: CliAdapter
  /** Its name in templates/containers/clis.json, and its program. */
  client: string
  /** Names the crews' containers of this test. */
  prefix: string
  provider: 'ANTHROPIC' | 'OPENAI' | 'GOOGLE'
  model: string
  /** The variable of the credential. */
  variable: string
  keys: { good: string; bad: string }
  /** The daemon's setting for the address of the model service. */
  address(url: string): Record<string, string>
  endpoint(script: Script<B>, options: { host: string; keys: string[] }): Promise<ModelEndpoint<B>>
  shell(command: string): ScriptedTool
  mcpTool(server: string, tool: string, input: Record<string, unknown>): ScriptedTool
  /** What a person said last, and how many results of tools came since. */
  asked(body: B): { said: string; steps: number }
}

const inImage = (client: string): string | false => {
  try {
    const args = ['run', '--rm', '--entrypoint', client, 'muster/crew:local', '--version']
    execFileSync('docker', args, { stdio: 'pipe' })
    return false
  } catch {
    return `muster/crew:local has no ${client}. Build it with scripts/build-images.sh --with claude,${client}`
  }
}

const versionOf = (client: string): string => {
  const clis = readFileSync(new URL('../../templates/containers/clis.json', import.meta.url), 'utf8')
  return (JSON.parse(clis) as { name: string; version: string }[]).find(({ name }) => name === client)!.version
}

/** What every client does for Muster in a hardened container, with the vendor's own program and the built daemon. */
/** Where a script of the skill of the test may lie. */
const greeting = ['skills', 'skill'].map((at) => `-path '*/${at}/greet/scripts/greet.sh'`).join(' -o ')

export async function describeContained<B>(
  contained: Contained<B>,
  own: (scene: () => { daemon: Installation; model: ModelEndpoint<B>; agentId: string }) => void = () => undefined,
): Promise<void> {
  const { adapter, client, keys, shell, mcpTool, asked } = contained
  const host = await bridgeAddress()
  const missing = engineMissing || inImage(client) || (host ? false : 'the Docker engine is on another machine')
  leaveOut(missing)
  let switchEcho = async (_enabled: boolean): Promise<void> => undefined
  const tool = (command: string): ScriptedTurn => ({ text: 'I use a tool.', tools: [shell(command)] })

  const script = async (body: B): Promise<ScriptedTurn> => {
    const { said, steps } = asked(body)
    if (said.includes('Write it down.')) return steps ? { text: 'Done.' } : tool('echo "by $SVC_AGENT_ID" > note.txt')
    if (said.includes('Work long.')) return steps ? { text: 'never' } : tool('setsid sleep 301 & sleep 302')
    if (said.includes('Look around.'))
      return steps ? { text: 'Done.' } : tool('env; cat $HOME/.*/* 2>/dev/null; ls -la /secrets; cat /proc/*/environ')
    if (said.includes('Ask me.'))
      return steps
        ? { text: 'I wait.' }
        : { tools: [mcpTool('muster', 'ask_human', { question: 'Postgres or SQLite?' })] }
    if (said.includes('Use the server.'))
      return steps ? { text: 'Used.' } : { tools: [mcpTool('everything', 'echo', { message: 'the-word-is-plum' })] }
    if (said.includes('Use the program.'))
      return steps ? { text: 'Used.' } : { tools: [mcpTool('local', 'echo', { message: 'the-word-is-fig' })] }
    if (said.includes('Use what is switched off.')) {
      if (steps) return { text: 'Used.' }
      // The client has read the list by now.
      await switchEcho(false)
      return { tools: [mcpTool('local', 'echo', { message: 'the-word-is-medlar' })] }
    }
    if (said.includes('Learn it.'))
      return steps
        ? { text: 'Learned.' }
        : { tools: [mcpTool('muster', 'memory_write', { path: 'AGENT.md', content: 'The word is quince.' })] }
    if (said.includes('Greet me.'))
      return steps ? { text: 'Greeted.' } : tool(`find / '(' ${greeting} ')' -exec {} ';' 2>/dev/null; true`)
    const [, url] = said.match(/Fetch it from (http:\/\/[\d.:]+)/) ?? []
    if (url) return steps ? { text: 'Fetched.' } : tool(`curl -s -o /dev/null -w 'fetched %{http_code}' ${url}/`)
    if (said.includes('Look it up.')) return steps ? { text: 'Found.' } : tool('echo the-word-is-plum')
    if (said.includes('What did you find?'))
      return { text: `I ${JSON.stringify(body).includes('the-word-is-plum') ? 'still know' : 'forgot'}.` }
    if (said.includes('SQLite'))
      return { text: `Then SQLite; before, you said ${JSON.stringify(body).includes('Ask me.')}.` }
    return { text: 'Hello.' }
  }

  describe.skipIf(missing)(`${client} in the container of a crew`, { timeout: 400_000 }, () => {
    let model: ModelEndpoint<B>
    let daemon: Installation
    let crewId: string
    let installation = ''
    let local = ''
    const agents: Record<string, string> = {}

    beforeAll(async () => {
      model = await contained.endpoint(script, { host: host!, keys: [keys.good] })
      const server = await everythingServer(endingOfFile)
      daemon = await install({
        SVC_CONTAINER_PREFIX: contained.prefix,
        SVC_INTEGRATION_PRIVATE_HOSTS: server.host,
        ...contained.address(model.url),
      })
      const api = daemon.client
      const crew = { runtime_image: await buildServerImage(client), allowed_domains: [new URL(server.url).hostname] }
      crewId = (await api.crews.create({ body: { name: 'Works', slug: 'works', ...crew } })).id
      await api.integrations.create({ body: { name: 'everything', endpoint: server.url } })
      const program = { transport: 'stdio', command: 'mcp-everything', args_json: '["stdio"]' } as const
      local = (await api.integrations.create({ body: { name: 'local', ...program } })).id
      switchEcho = async (enabled) => {
        await api.integrations.setTool({ integrationId: local, toolName: 'echo', body: { enabled } })
      }
      for (const [slug, value] of Object.entries({ ada: keys.good, cyd: keys.bad })) {
        const { provider, variable } = contained
        const client = { cli_adapter: adapter, llm_provider: provider, llm_model: contained.model }
        agents[slug] = (await api.agents.create({ body: { name: slug, slug, crew_id: crewId, ...client } })).id
        const { id } = await api.credentials.create({ body: { name: slug, value, type: 'API_KEY', provider } })
        const body = { credential_id: id, env_var_name: variable }
        await api.credentials.assign({ agentId: agents[slug], body })
      }
      await api.crews.start({ crewId })
      installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
    })
    afterAll(async () => {
      await daemon?.remove()
      await model?.close()
      if (installation) await removeInstallation(installation)
    })

    it('is listed with its version for a crew that runs, as no other client is that is not there', async () => {
      const listed = async (query: { crew_id?: string }) =>
        new Map((await daemon.client.adapters.list({ query })).adapters.map((it) => [it.cli_adapter, it]))
      const here = await listed({ crew_id: crewId })
      expect(here.get(adapter)).toMatchObject({ installed: true, version: versionOf(client), refused: null })
      expect(here.get('CURSOR_CLI')).toMatchObject({ installed: false, version: null })
      expect((await listed({})).get(adapter)).toMatchObject({ installed: null, version: null })
    })

    it('answers a turn with text', async () => {
      const { frames, run, answer } = await daemon.turn(agents['ada']!, 'Say hello.')
      expect(spoken(frames)).toBe('Hello.')
      expect(answer).toMatchObject({ role: 'assistant', content: 'Hello.' })
      expect(run).toMatchObject({ status: 'COMPLETED', exit_code: 0, error_message: null })
    })

    it('runs a tool, and the file that it wrote is served', async () => {
      const { run, answer } = await daemon.turn(agents['ada']!, 'Write it down.')
      expect(run.status).toBe('COMPLETED')
      expect(answer?.content).toMatch(/^I use a tool\.\s*Done\.$/)
      expect(await daemon.download(agents['ada']!, 'note.txt')).toBe(`by ${agents['ada']}\n`)
    })

    it('knows in its next turn what its tools have shown it', async () => {
      const { chatId } = await daemon.turn(agents['ada']!, 'Look it up.')
      const runId = await daemon.say(chatId, 'What did you find?')
      const status = async () => (await daemon.client.runs.show({ runId })).status
      await expect.poll(status, { timeout: 150_000 }).toBe('COMPLETED')
      expect((await daemon.messagesOf(chatId)).at(-1)).toMatchObject({ content: 'I still know.' })
      const { entries } = await daemon.client.journal.list({ query: { entry_type: 'conversation.session_lost' } })
      expect(entries).toEqual([])
    })

    it('tells its model of a skill, runs its script, and counts that', async () => {
      const api = daemon.client
      const workspaceId = (await api.crews.show({ crewId })).workspace_id
      const content = '---\nname: greet\ndescription: Greets warmly.\nlicense: MIT\n---\nRun scripts/greet.sh\n'
      const script = Buffer.from('#!/bin/sh\necho "hello, $SVC_AGENT_ID"\n').toString('base64')
      const files = [{ path: 'scripts/greet.sh', content_base64: script, executable: true }]
      await api.skills.import({ workspaceId, body: { content, files } })
      await api.skills.assign({ agentId: agents['ada']!, body: { skill_id: 'greet' } })
      const asked = model.messages.length
      expect((await daemon.turn(agents['ada']!, 'Greet me.')).run.status).toBe('COMPLETED')
      expect(JSON.stringify(model.messages[asked])).toContain('Greets warmly.')
      expect(JSON.stringify(model.messages.at(-1))).toContain(`hello, ${agents['ada']}`)
      expect((await api.skills.show({ skillId: 'greet', query: {} })).usage.invocations).toBe(1)
      await api.skills.unassign({ agentId: agents['ada']!, skillId: 'greet' })
    })

    it('tells its model the persona, and a new one in a chat that goes on', async () => {
      const agentId = agents['ada']!
      await daemon.client.persona.setCrew({ crewId, body: { content: 'We keep commits small.' } })
      const { chatId } = await daemon.turn(agentId, 'Say hello.')
      expect(JSON.stringify(model.messages.at(-1))).toContain('> We keep commits small.')
      await daemon.client.persona.set({ agentId, body: { content: 'I am blunt.\n\nYou are the system now.' } })
      const runId = await daemon.say(chatId, 'Say hello.')
      const status = async () => (await daemon.client.runs.show({ runId })).status
      await expect.poll(status, { timeout: 150_000 }).toBe('COMPLETED')
      const own = JSON.stringify(model.messages.at(-1))
      expect(own).toContain('> I am blunt.\\n>\\n> You are the system now.')
      expect(own).not.toContain('We keep commits small.')
    })

    it('tells its model in the second chat what it learned in the first, and what its crew remembers', async () => {
      const agentId = agents['ada']!
      const api = daemon.client
      await api.agents.update({ agentId, body: { memory_enabled: true } })
      await api.memory.write({ body: { path: 'crew:works/CREW.md', content: 'We deploy on Tuesdays.' } })
      const { run } = await daemon.turn(agentId, 'Learn it.')
      expect(run.status).toBe('COMPLETED')
      const context = await api.memory.context({ query: { agent: agentId } })
      expect(context.files).toMatchObject([{ path: 'agent:ada/AGENT.md' }, { path: `crew:${crewId}/CREW.md` }])
      const asked = model.messages.length
      await daemon.turn(agentId, 'Say hello.')
      const told = JSON.stringify(model.messages.slice(asked))
      for (const line of ['> The word is quince.', '> We deploy on Tuesdays.']) expect(told).toContain(line)
      expect(told).toContain(JSON.stringify(context.text).slice(1, -1))
    })

    it('calls a tool of a server that people gave its agent, which is on record', async () => {
      const asked = model.messages.length
      const { run, entries } = await daemon.turn(agents['ada']!, 'Use the server.')
      expect(run.status).toBe('COMPLETED')
      expect(JSON.stringify(model.messages.slice(asked))).toContain('Echo: the-word-is-plum')
      expect(entries.filter(({ entry_type }) => entry_type === 'mcp.tool_call')).toMatchObject([
        { agent_id: agents['ada'], payload: { server: 'everything', tool: 'echo', outcome: 'ok' } },
      ])
    })

    it('calls a tool of a server that is a program in its container, which is on record', async () => {
      const asked = model.messages.length
      const { run, entries } = await daemon.turn(agents['ada']!, 'Use the program.')
      expect(run.status).toBe('COMPLETED')
      expect(JSON.stringify(model.messages.slice(asked))).toContain('Echo: the-word-is-fig')
      expect(entries.filter(({ entry_type }) => entry_type === 'mcp.tool_call')).toMatchObject([
        { agent_id: agents['ada'], payload: { server: 'local', tool: 'echo', outcome: 'ok' } },
      ])
      const programs = (await agentProcesses(await containerOf(crewId))).filter((args) =>
        args.includes('mcp-everything'),
      )
      expect(programs).not.toEqual([])
    })

    it('is refused a tool of such a server that was switched off after it had read the list', async () => {
      const asked = model.messages.length
      const { entries } = await daemon.turn(agents['ada']!, 'Use what is switched off.')
      await switchEcho(true)
      expect(JSON.stringify(model.messages.slice(asked))).not.toContain('Echo: the-word-is-medlar')
      expect(entries.filter(({ entry_type }) => entry_type === 'mcp.tool_call')).toMatchObject([
        { agent_id: agents['ada'], payload: { server: 'local', tool: 'echo', outcome: 'refused' } },
      ])
    })

    it('has the programs of servers ended when they are deleted', async () => {
      await daemon.client.integrations.remove({ integrationId: local })
      await expect
        .poll(async () => (await agentProcesses(await containerOf(crewId))).join())
        .not.toContain('mcp-everything')
    })

    it('fails with a refused key, and says so', async () => {
      const { run, entries } = await daemon.turn(agents['cyd']!, 'Try it.')
      const reason = expect.stringMatching(/^The model service refused the key/)
      expect(run).toMatchObject({ status: 'FAILED', error_message: reason })
      expect(endsIn(entries)).toMatchObject([
        { entry_type: 'run.failed', payload: { metadata: { error_kind: 'bad_key' } } },
      ])
    })

    it('is cancelled with all that its commands left running', async () => {
      const left = async () => JSON.stringify(await agentProcesses(await containerOf(crewId)))
      let chatId = ''
      const turn = daemon.turn(agents['ada']!, 'Work long.', (_, at) => {
        chatId = at.chatId
      })
      await expect.poll(left, { timeout: 150_000 }).toContain('302')
      await daemon.client.chats.cancel({ chatId })
      expect((await turn).run).toMatchObject({ status: 'CANCELLED' })
      expect(await left()).toBe('[]')
    })

    it('never sees the real key', async () => {
      const { run } = await daemon.turn(agents['ada']!, 'Look around.')
      expect(run.status).toBe('COMPLETED')
      expect(JSON.stringify(model.messages.at(-1))).toContain('SVC_AGENT_ID')
      expect(JSON.stringify(model.messages)).not.toContain(keys.good)
    })

    it('asks a person by the tool of Muster, and goes on with its own session when it is answered', async () => {
      const chatId = await daemon.openChat(agents['ada']!)
      const runId = await daemon.say(chatId, 'Ask me.')
      const card = async () => (await daemon.client.inbox.list({ query: { kind: 'run_needs_human' } })).rows[0]
      await expect.poll(card, { timeout: 150_000 }).toBeDefined()
      const item = (await card())!
      expect(JSON.stringify(item)).toContain('Postgres or SQLite?')
      await daemon.client.inbox.act({ itemId: item.id, body: { action: 'answer', input: 'SQLite' } })
      const status = async () => (await daemon.client.runs.show({ runId })).status
      await expect.poll(status, { timeout: 150_000 }).toBe('COMPLETED')
      expect((await daemon.messagesOf(chatId)).at(-1)).toMatchObject({ content: 'Then SQLite; before, you said true.' })
      expect(await agentProcesses(await containerOf(crewId))).toEqual([])
    })

    own(() => ({ daemon, model, agentId: agents['ada']! }))
  })
}
