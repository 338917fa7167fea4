import { Args } from '@oclif/core'
import { ProblemError } from '#client'
import type { consolidate } from '#contract/consolidate'
import type { Reply } from '#contract/define'
import { ApiCommand } from '../../command.ts'
import { carryOut } from '../../decisions/choices.ts'
import { bareId } from '../../decisions/ids.ts'
import { oneKey } from '../../decisions/one-key.ts'
import { interactive } from '../../input.ts'
import { coloured } from '../../memory/coloured.ts'
import { cleanLine } from '../../output/clean.ts'
import { proposalView } from '../../views/consolidate.ts'

type Explained = Reply<typeof consolidate.explain>
type Diff = Reply<typeof consolidate.diff>

export default class ConsolidateShow extends ApiCommand<typeof ConsolidateShow> {
  static override summary = 'Show what approving a proposal would write, with the evidence of its rules'
  static override description =
    'At a terminal, a approves a proposal that waits for a decision and r rejects it; q leaves it as it is.'
  static override result = { of: ['consolidate.explain', 'consolidate.diff'] }
  static override examples = [
    '$ <%= config.bin %> consolidate show PROPOSAL',
    '$ <%= config.bin %> consolidate show PROPOSAL --jq .diff',
  ]
  static override next = { not_found: 'muster consolidate proposals --status all' }
  static override args = {
    proposal: Args.string({ required: true, description: 'id of the proposal, or of its inbox item' }),
  }

  async run(): Promise<void> {
    const proposalId = bareId(this.args.proposal)
    const explained = await this.api.consolidate.explain({ proposalId })
    const diff = await this.diff(proposalId)
    const { format, jq } = this.out.wanted
    if (format !== 'auto' || jq !== undefined || !this.out.terminal)
      return this.out.show({ ...explained, ...diff }, { ...proposalView, below: () => diff?.diff ?? '' })
    await this.out.show(explained, proposalView)
    this.out.write(this.evidence(explained))
    if (!diff) return this.out.note('The text that was proposed is not kept any more.')
    this.out.write(`\n${coloured(diff.diff, this.out.paint)}`)
    if (explained.status === 'pending' && interactive()) await this.decide(proposalId)
  }

  /** Null when the staged text is gone with its crew. */
  private async diff(proposalId: string): Promise<Diff | null> {
    try {
      return await this.api.consolidate.diff({ proposalId })
    } catch (error) {
      if (error instanceof ProblemError && error.problem.code === 'staging_gone') return null
      throw error
    }
  }

  /** What each rule rests on. */
  private evidence({ evidence, scores, entries }: Explained): string {
    const { paint } = this.out
    const known = new Map(entries.map((entry) => [entry.id, entry]))
    const rules = evidence.map((rule, at) => {
      const score = scores[rule.pattern]
      const told = score ? `score ${score.composite.toFixed(2)}, found by ${score.recall_count} searches` : ''
      const sure = `${Math.round(rule.confidence * 100)} % sure${told && `, ${told}`}`
      const cited = rule.evidence.map((id) => {
        const entry = known.get(id)
        return `   ${paint('dim', id)}  ${entry ? cleanLine(entry.summary) : paint('dim', 'is gone')}`
      })
      const head = `${at + 1}. ${paint('bold', cleanLine(rule.pattern))}`
      return [head, `   → ${cleanLine(rule.action)}  ${paint('dim', `(${sure})`)}`, ...cited].join('\n')
    })
    return `\n${rules.join('\n\n')}\n`
  }

  private async decide(decisionId: string): Promise<void> {
    const key = await oneKey('\n[a]pprove  [r]eject  [q]uit ', ['a', 'r', 'q'])
    if (key === 'q') return this.out.note('Nothing was decided.')
    const { decides } = await this.api.decisions.show({ decisionId })
    const choice = decides.choices.find(({ means }) => means === (key === 'a' ? 'approve' : 'deny'))!
    await carryOut(this.api, decides, choice)
    await this.out.done(`${key === 'a' ? 'Approved.' : 'Rejected.'} ${choice.effect ?? ''}`)
  }
}
