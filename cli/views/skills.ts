import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { SkillDetail, Skill as SkillRow, skills } from '#contract/skills'
import { age } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Skill = Static<typeof SkillRow>
type Detail = Static<typeof SkillDetail>

export const skillView: View<Skill> = {
  name: ({ slug }) => slug,
  empty: 'There are no skills. Next: muster skills import FOLDER',
  columns: {
    NAME: ({ slug }) => slug,
    VENDOR: ({ vendor }) => vendor,
    CATEGORY: ({ category }) => category.toLowerCase(),
    MATURITY: ({ maturity }) => maturity.toLowerCase(),
    SOURCE: ({ source }) => source.toLowerCase(),
    SCAN: ({ scan_status }) => scan_status.toLowerCase(),
    AGE: ({ created_at }) => age(created_at),
  },
  wide: {
    VERSION: ({ version }) => version,
    LICENSE: ({ spdx_license }) => spdx_license,
    AGENTS: ({ installed_on }) => installed_on.length,
    USED: ({ usage }) => usage.invocations,
    FOUND: ({ scan_reason }) => scan_reason,
    DESCRIPTION: ({ description }) => description,
    ID: ({ id }) => id,
  },
}

type Assigned = Reply<typeof skills.assigned>[number]

export const assignedSkillView: View<Assigned> = {
  name: ({ skill }) => skill.slug,
  empty: 'The agent has no skills. Next: muster skills assign SKILL --agent AGENT',
  columns: {
    NAME: ({ skill }) => skill.slug,
    CATEGORY: ({ skill }) => skill.category.toLowerCase(),
    VERSION: ({ skill }) => skill.version,
  },
  wide: { DESCRIPTION: ({ skill }) => skill.description, ID: ({ skill }) => skill.id },
}

type Proposed = Reply<typeof skills.proposed>[number]

const scanOf = ({ scan_status, scan_reason }: Pick<Proposed, 'scan_status' | 'scan_reason'>): string =>
  [scan_status.toLowerCase(), scan_reason].filter(Boolean).join(': ')

export const proposedSkillView: View<Proposed> = {
  name: ({ file_name }) => file_name,
  empty: 'No skills wait for a decision.',
  columns: {
    NAME: ({ file_name }) => file_name,
    SKILL: ({ slug }) => slug,
    SCAN: ({ scan_status }) => scan_status.toLowerCase(),
    DESCRIPTION: ({ description }) => description,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { LACKS: ({ description_quality }) => description_quality || null, AGENT: ({ agent_id }) => agent_id },
}

export const proposedSkillDetailView: View<Proposed> = {
  name: ({ file_name }) => file_name,
  columns: {
    FILE: ({ file_name }) => file_name,
    SKILL: ({ slug }) => slug,
    LACKS: ({ description_quality }) => description_quality || null,
    SCAN: scanOf,
    AGENT: ({ agent_id }) => agent_id,
    REASON: ({ reason }) => reason,
    AGE: ({ created_at }) => age(created_at),
  },
  below: ({ content }) => content,
}

export const skillDetailView: View<Detail> = {
  name: ({ slug }) => slug,
  columns: {
    NAME: ({ slug }) => slug,
    'DISPLAY-NAME': ({ display_name }) => display_name,
    DESCRIPTION: ({ description }) => description,
    LACKS: ({ description_quality }) => description_quality || null,
    VERSION: ({ version }) => version,
    AUTHOR: ({ author }) => author,
    VENDOR: ({ vendor }) => vendor,
    LICENSE: ({ spdx_license, license }) => spdx_license ?? license,
    CATEGORY: ({ category }) => category.toLowerCase(),
    MATURITY: ({ maturity }) => maturity.toLowerCase(),
    SOURCE: ({ source }) => source.toLowerCase(),
    SCAN: scanOf,
    AGENTS: ({ installed_on }) => installed_on.map(({ agent_slug }) => agent_slug).join(', ') || null,
    USED: ({ usage }) => usage.invocations,
    FILES: ({ files }) => files.map(({ path, executable }) => (executable ? `${path}*` : path)).join('\n') || null,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { ID: ({ id }) => id, HOMEPAGE: ({ homepage }) => homepage },
  below: ({ content }) => content,
}

type Bulk = Reply<typeof skills.bulkImport>

/** What became of the skills of a repository. */
export const bulkImportView = (dry: boolean): View<Bulk> => ({
  name: ({ source }) => source,
  columns: {
    REPOSITORY: ({ source }) => source,
    COMMIT: ({ commit }) => commit.slice(0, 12),
    FOUND: ({ total_found }) => total_found,
    [dry ? 'WOULD-IMPORT' : 'IMPORTED']: ({ total_imported }) => total_imported,
    SKIPPED: ({ skipped }) => skipped.length,
  },
  below: ({ imported, skipped }) =>
    [
      ...imported.map(({ slug, created }) => `${created ? 'new     ' : 'replaced'}  ${slug}`),
      ...skipped.map(({ path, reason }) => `skipped   ${path}: ${reason}`),
    ].join('\n'),
})
