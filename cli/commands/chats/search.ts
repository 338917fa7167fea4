import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, listFlags } from '../../flags.ts'
import { agentId, crewId } from '../../lookup.ts'
import { cleanLine } from '../../output/clean.ts'
import { contextOf, type Hit, hitView, speaker } from '../../views/hits.ts'

/** Messages that a search gives, and those of a search without a limit. */
const [most, usual] = [100, 20]

const missing = {
  indexing: 'Older messages are still being indexed and may be missing; try again in a few minutes.',
  time: 'The search was ended before all messages were looked through. Next: --agent AGENT, or rarer words',
}

export default class ChatsSearch extends ApiCommand<typeof ChatsSearch> {
  static override summary = 'Find messages in the conversations with agents'
  static override description =
    'Finds the words one after the other, without regard to case and accents, in what people and agents said and in ' +
    'summaries of what tools did. The best matches come first, and of equal ones the newest: 20 unless a limit is ' +
    'given, 100 at most.'
  static override examples = [
    '$ <%= config.bin %> chats search "rate limit"',
    '$ <%= config.bin %> chats search deadlock --agent ada',
    '$ <%= config.bin %> chats search "disk full" --crew backend --limit 5',
    "$ <%= config.bin %> chats search invoice --jq '.[].session_id'",
  ]
  static override args = { text: Args.string({ required: true, description: 'words that follow one another' }) }
  static override flags = {
    agent: Flags.string({ helpValue: 'AGENT', description: 'only conversations with this agent' }),
    crew: Flags.string({ helpValue: 'CREW', description: 'only conversations with agents of this crew' }),
    ...listFlags,
  }
  static override result = { of: ['chats.search'] }

  async run(): Promise<void> {
    const { agent, crew, all } = this.flags
    const limit = all ? most : Math.min(most, this.flags.limit ?? usual)
    const query = this.args.text
    const { hits, missed } = await this.api.chats.search({
      body: given({
        query,
        limit,
        agent_id: agent === undefined ? undefined : await agentId(this.api, agent),
        crew_id: crew === undefined ? undefined : await crewId(this.api, crew),
      }),
    })
    const shown = this.out.wanted.format === 'auto' && this.out.terminal
    if (shown && hits.length) this.show(hits, query)
    else await this.out.list(hits, hitView(query))
    if (missed) this.out.note(missing[missed], 'yellow')
    if (shown && hits[0]) this.out.note(`Next: muster chats messages ${hits[0].session_id}`, 'dim')
  }

  private show(hits: Hit[], query: string): void {
    for (const hit of hits) {
      const { before, words, after } = contextOf(hit, query)
      this.out.write(this.out.paint('cyan', cleanLine(`${hit.agent_name} (${hit.agent_slug})`)))
      this.out.text(`  ${speaker(hit)}, ${hit.ts}, chat ${hit.session_id}\n  ${before}`)
      this.out.write(this.out.paint('bold', cleanLine(words)))
      this.out.text(`${after}\n\n`)
    }
  }
}
