import type { Static } from 'typebox'
import type { SkillDetail, Skill as SkillRow } from '#contract/skills'
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
    FOUND: ({ scan_reason }) => scan_reason,
    DESCRIPTION: ({ description }) => description,
    ID: ({ id }) => id,
  },
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
    SCAN: ({ scan_status, scan_reason }) => [scan_status.toLowerCase(), scan_reason].filter(Boolean).join(': '),
    FILES: ({ files }) => files.map(({ path, executable }) => (executable ? `${path}*` : path)).join('\n') || null,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { ID: ({ id }) => id, HOMEPAGE: ({ homepage }) => homepage },
  below: ({ content }) => content,
}
