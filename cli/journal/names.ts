import type { Client } from '#client'
import type { Entry } from '#contract/entries'

/** Names for the ids in entries; unknown ones are requested once. */
export class Names {
  private readonly api: Client
  private readonly workspace: string | undefined
  private readonly known = new Map<string, string>()
  private readonly asked = new Set<string>()
  private people: Promise<void> | null = null

  constructor(api: Client, workspace: string | undefined) {
    this.api = api
    this.workspace = workspace
  }

  /** Who an entry is about, else who caused it. */
  async whoOf({ agent_id, crew_id, actor_type, actor_id }: Entry): Promise<string> {
    const about = agent_id ?? crew_id
    if (about) {
      if (!this.known.has(about) && !this.asked.has(about)) await this.lookUp(about)
      const name = this.known.get(about) ?? (crew_id && this.known.get(crew_id))
      if (name) return name
    }
    return actor_type === 'user' && actor_id ? ((await this.personOf(actor_id)) ?? actor_type) : actor_type
  }

  /** The address of a member. */
  async personOf(id: string): Promise<string | undefined> {
    this.people ??= this.meet()
    await this.people
    return this.known.get(id)
  }

  /** Names are optional: entries are shown without them, too. */
  private async lookUp(wanted: string): Promise<void> {
    this.asked.add(wanted)
    const found = await this.api.journal.lookup().catch(() => null)
    for (const { id, slug } of found ? [...found.crews, ...found.agents] : []) this.known.set(id, slug)
  }

  private async meet(): Promise<void> {
    const workspaceId = this.workspace
    const members = workspaceId
      ? await this.api.members.list({ workspaceId, query: { limit: 500 } }).catch(() => [])
      : []
    for (const { user_id, user } of members) this.known.set(user_id, user.email)
  }
}
