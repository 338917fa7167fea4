import { type About, type Names, named } from '#contract/entries'
import { type Db, statements } from '../store/db.ts'

export const queries = statements((db) => ({
  user: db.prepare<[id: string], { email: string; full_name: string | null }>(
    'SELECT email, full_name FROM users WHERE id = ?',
  ),
  agent: db.prepare<[id: string], { name: string }>('SELECT name FROM agents WHERE id = ?'),
  crew: db.prepare<[id: string], { slug: string }>('SELECT slug FROM crews WHERE id = ?'),
}))

/** The names that the summary of an entry may use, each looked up on demand. */
export class EntryNames implements Names {
  readonly #db: Db
  readonly #about: Omit<About, 'workspace_id'>

  constructor(db: Db, about: Omit<About, 'workspace_id'>) {
    this.#db = db
    this.#about = about
  }

  get actor(): string {
    const { actor_type, actor_id } = this.#about
    if (actor_type === 'user' && actor_id) return queries(this.#db).user.get(actor_id)?.email ?? 'a deleted user'
    return actor_type === 'agent' && actor_id ? this.#agentName(actor_id) : 'Muster'
  }

  get person(): string {
    const { actor_type, actor_id } = this.#about
    const user = actor_type === 'user' && actor_id ? queries(this.#db).user.get(actor_id) : undefined
    return user?.full_name ? named(user.full_name) : this.actor
  }

  get agent(): string {
    return this.#about.agent_id ? this.#agentName(this.#about.agent_id) : 'an agent'
  }

  get crew(): string {
    const { crew_id } = this.#about
    return (crew_id && queries(this.#db).crew.get(crew_id)?.slug) || 'without a name'
  }

  #agentName(id: string): string {
    const agent = queries(this.#db).agent.get(id)
    return agent ? named(agent.name) : 'a deleted agent'
  }
}
