import { Flags } from '@oclif/core'
import type { Static } from 'typebox'
import { type Client, type Connection, ProblemError } from '#client'
import type { Run } from '#contract/runs'
import { carryOut } from '../decisions/choices.ts'
import type { Item } from '../inbox/decisions.ts'
import { whereIAm } from '../inbox/here.ts'
import { news } from '../inbox/news.ts'
import { patiently, runPatience } from '../patiently.ts'
import { isOf, openItems } from './items.ts'

type RunRow = Static<typeof Run>

/** What a command does when the run asks people for something. */
export const onQuestionFlag = {
  'on-question': Flags.string({
    options: ['stop', 'deny'],
    description: 'when the run waits for a person: end with 5 (default), or deny what it asks and go on',
  }),
}

/** Said with each denial, where the operation takes words. */
const comment = 'Denied unattended: nobody is here to decide (--on-question deny).'

export interface Denied {
  inbox_id: string
  title: string
}

/** Denies what a run asks people for, as its caller may: questions, escalations, approvals and waitpoints. */
export class Unattended {
  readonly denied: Denied[] = []
  private readonly settled = new Set<string>()
  private readonly refused = new Set<string>()
  private readonly api: Client
  private readonly say: (text: string) => void

  constructor(api: Client, say: (text: string) => void) {
    this.api = api
    this.say = say
  }

  /** Whether nothing is left to be decided about this item. */
  has = (itemId: string): boolean => this.settled.has(itemId)

  /** Denies all that the run has asked for until now. */
  async deny(run: RunRow): Promise<void> {
    const items = await patiently(() => openItems(this.api, run), runPatience)
    for (const item of items) if (isOf(item, run)) await this.denyItem(item)
  }

  /** Denies what a run asks for, as it comes. Ends by its signal alone. */
  async watch(connection: Connection, workspace: string | undefined, it: Watched): Promise<void> {
    const { workspaceId } = await whereIAm(this.api, workspace)
    for await (const event of news(connection, `workspace:${workspaceId}`, { signal: it.signal })) {
      const runId = it.runId()
      const asks = event.type === 'connected' || (event.type === 'event' && event.name === 'inbox.updated')
      if (asks && runId !== undefined) await this.deny(await this.api.runs.show({ runId }))
    }
  }

  private async denyItem({ id, title, decides }: Item): Promise<void> {
    const choice = decides?.choices.find(({ means }) => means === 'deny')
    if (!decides || !choice || this.settled.has(id) || this.refused.has(id)) return
    try {
      await carryOut(this.api, decides, choice, comment)
      this.settled.add(id)
      this.denied.push({ inbox_id: id, title })
      this.say(`Denied unattended: ${title}`)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      // Somebody was faster.
      if (error.problem.status === 409) this.settled.add(id)
      else this.refuse(id, error)
    }
  }

  private refuse(id: string, { message }: Error): void {
    this.refused.add(id)
    this.say(`Not denied: ${message}`)
  }
}

interface Watched {
  signal: AbortSignal
  /** The run, once it is known. */
  runId(): string | undefined
}
