import type { consolidate } from '#contract/consolidate'
import type { Reply } from '#contract/define'
import type { memoryRules } from '#contract/memory-rules'
import { age, type Cell, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Proposal = Reply<typeof consolidate.proposals>['proposals'][number]
type Learned = Reply<typeof memoryRules.rules>['rules'][number]
type Explained = Reply<typeof consolidate.explain>

const tones = { pending: 'cyan', approved: 'green', rejected: 'dim' } as const
const state = ({ status }: Pick<Proposal, 'status'>): Cell => ({ text: status, value: status, tone: tones[status] })

export const proposalsView: View<Proposal> = {
  name: ({ proposal_id }) => proposal_id,
  empty: 'No rules wait for a decision. Next: muster consolidate proposals --status all',
  columns: {
    ID: ({ proposal_id }) => proposal_id,
    CREW: ({ crew_slug }) => crew_slug,
    STATUS: state,
    KIND: ({ kind }) => kind,
    RULES: ({ rules_count }) => rules_count,
    ENTRIES: ({ entries_scanned }) => entries_scanned,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    MODEL: ({ model }) => model,
    DECIDED: ({ decided_at }) => when(decided_at),
    REASON: ({ reason }) => reason,
  },
}

/** A proposal without its rules, which are told below. */
export const proposalView: View<Explained> = {
  name: ({ proposal_id }) => proposal_id,
  columns: {
    Proposal: ({ proposal_id }) => proposal_id,
    Status: state,
    Rules: ({ rules_count }) => rules_count,
    'Entries read': ({ entries_scanned }) => entries_scanned,
    'Proposed by': ({ model }) => model,
    Proposed: ({ created_at }) => when(created_at),
    Decided: ({ decided_at }) => when(decided_at),
  },
}

export const learnedRulesView: View<Learned> = {
  name: ({ rule_id }) => rule_id,
  empty: 'No crew has learned a rule yet. Next: muster consolidate proposals',
  columns: {
    ID: ({ rule_id }) => rule_id,
    PATTERN: ({ pattern }) => pattern,
    CREW: ({ crew_slug }) => crew_slug,
    USES: ({ uses }) => uses,
    OK: ({ completed }) => completed,
    FAILED: ({ failed }) => failed,
    PEOPLE: ({ corrected, redirected }) => corrected + redirected,
    AGE: ({ learned_at }) => age(learned_at),
  },
  wide: {
    ACTION: ({ action }) => action,
    CORRECTED: ({ corrected }) => corrected,
    REDIRECTED: ({ redirected }) => redirected,
    'LAST-USED': ({ last_used_at }) => when(last_used_at),
    PRESENT: ({ present }) => present,
  },
}
