import type { Reply } from '#contract/define'
import type { memory } from '#contract/memory'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'
import { room, versionView } from './personas.ts'

type Shown = Reply<typeof memory.show>
type Listed = Reply<typeof memory.list>['files'][number]
type Version = Reply<typeof memory.versions>['entries'][number]
type Hit = Reply<typeof memory.search>['hits'][number]
type Written = Reply<typeof memory.write>

export const memoryView: View<Shown> = {
  name: ({ content }) => content,
  columns: {
    File: ({ path }) => path,
    Length: room,
    Hash: ({ sha256 }) => sha256.slice(0, 12),
    Written: ({ written_at }) => when(written_at),
    By: ({ written_by }) => written_by,
  },
  below: ({ content }) => content,
}

export const memoryFilesView: View<Listed> = {
  name: ({ path }) => path,
  empty: 'Nothing is remembered there. Next: muster memory edit AGENT',
  columns: {
    NAME: ({ path }) => path,
    BYTES: ({ bytes }) => bytes,
    MOST: ({ cap_bytes }) => cap_bytes,
    HASH: ({ sha256 }) => sha256.slice(0, 12),
    AGE: ({ written_at }) => age(written_at),
  },
  wide: { BY: ({ written_by }) => written_by, WRITTEN: ({ written_at }) => when(written_at) },
}

export const memoryVersionsView: View<Version> = {
  ...versionView,
  empty: 'Nobody has written it. Next: muster memory edit AGENT',
}

export const writtenView: View<Written> = {
  name: ({ path }) => path,
  columns: {
    File: ({ path }) => path,
    Length: room,
    Hash: ({ sha256 }) => sha256.slice(0, 12),
    Warning: ({ warning }) => warning,
  },
}

export const memoryHitView: View<Hit> = {
  name: ({ id }) => id,
  empty: 'Nothing of it is remembered.',
  columns: {
    NAME: ({ id }) => id,
    TEXT: ({ text }) => text.replace(/\s+/g, ' '),
    AGE: ({ at }) => age(at),
  },
  wide: { SCORE: ({ score }) => score.toFixed(4), WRITTEN: ({ at }) => when(at) },
}

export const historyView: View<Reply<typeof memory.history>['rows'][number]> = {
  name: ({ id }) => id,
  empty: 'There are no such versions.',
  columns: {
    ID: ({ id }) => id,
    PATH: ({ path }) => path,
    TIER: ({ tier }) => tier,
    BYTES: ({ bytes }) => bytes,
    AGE: ({ written_at }) => age(written_at),
  },
  wide: {
    HASH: ({ sha256 }) => sha256.slice(0, 12),
    BY: ({ written_by }) => written_by,
    WRITTEN: ({ written_at }) => when(written_at),
  },
}

export const healthView: View<Reply<typeof memory.health>> = {
  name: ({ overall }) => String(overall),
  columns: {
    Overall: ({ overall }) => overall,
    Freshness: ({ freshness, stalest_entry_days: days }) =>
      days === null ? `${freshness}` : `${freshness}, oldest file ${days} days`,
    Coverage: ({ coverage, agents, agents_with_memory }) =>
      `${coverage}, ${agents_with_memory} of ${agents} agents have memory`,
    Coherence: ({ coherence, repeated_count, contradiction_count }) =>
      `${coherence}, ${repeated_count} repeated, ${contradiction_count} contradicted`,
    Efficiency: ({ efficiency, files }) => `${efficiency}, ${files} files`,
    Reachability: ({ reachability }) => reachability,
  },
  below: ({ contradictions }) => contradictions.map((it) => `Contradicted: ${it}\n`).join(''),
}

export const statsView: View<Reply<typeof memory.stats>> = {
  name: ({ totals }) => String(totals.versions),
  columns: {
    Versions: ({ totals }) => totals.versions,
    Bytes: ({ totals }) => totals.bytes,
    Texts: ({ totals }) => totals.blobs,
    Oldest: ({ totals: { oldest_at } }) => oldest_at && when(oldest_at),
    Newest: ({ totals: { newest_at } }) => newest_at && when(newest_at),
    Kinds: ({ by_tier }) => by_tier.map(({ tier, versions }) => `${tier} ${versions}`).join(', '),
    Agents: ({ by_agent }) =>
      by_agent.map(({ agent_slug, versions }) => `${agent_slug || 'none'} ${versions}`).join(', '),
  },
}

export const configView: View<Reply<typeof memory.config>> = {
  name: ({ versions_retention_days: days }) => String(days),
  columns: {
    Kept: ({ versions_retention_days: days, is_default }) => `${days} days${is_default ? ', unless set' : ''}`,
  },
}

export const importView: View<Reply<typeof memory.import>> = {
  name: ({ written }) => String(written),
  columns: {
    Written: ({ written }) => written,
    Rejected: ({ rejected }) => rejected,
    Failed: ({ failed }) => failed,
  },
}

type Context = Reply<typeof memory.context>
const filesIn = ({ files, left_out }: Context): string =>
  [
    ...files.map(
      ({ path, chars, bytes, whole }) => `${path}: ${chars} characters${whole ? '' : `, cut of ${bytes} bytes`}`,
    ),
    ...left_out.map(({ path, bytes, reason }) => {
      const why = reason === 'budget' ? 'no room' : 'read on request'
      return `${path}: left out, ${bytes} bytes, ${why}`
    }),
  ].join('\n')

export const contextView: View<Context> = {
  name: ({ text }) => text,
  columns: {
    Memory: ({ memory_enabled }) => (memory_enabled ? 'on' : 'off: muster agents update AGENT --memory'),
    Given: ({ chars, budget_chars }) => `${chars} of ${budget_chars} characters`,
    Persona: ({ persona_chars }) => `${persona_chars} characters`,
    Files: (it) => filesIn(it) || null,
  },
  below: ({ text }) => text,
}
