import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const Imported = Type.Object({
  skill_id: Type.String(),
  slug: Type.String(),
  created: Type.Boolean(),
  source: Type.Enum(['url', 'content']),
  unsafe_license: Type.Boolean(),
})

const imported = ({ created }: { created: boolean }) => (created ? 'imported' : 'imported anew')

/** Skills: where they come from and go. docs/skills.md. */
export const skillFacts = {
  'skill.imported': entry(
    'skill.imported',
    'notice',
    Imported,
    (it, { actor }) => `The skill ${quoted(it.slug)} was ${imported(it)} by ${actor}`,
  ),
  'skill.imported_unlicensed': entry(
    'skill.imported',
    'warn',
    Imported,
    (it, { actor }) => `The skill ${quoted(it.slug)} was ${imported(it)} by ${actor}, without a licence that is open`,
  ),
  'skill.deleted': entry(
    'skill.deleted',
    'notice',
    Type.Object({ skill_id: Type.String(), slug: Type.String() }),
    ({ slug }, { actor }) => `The skill ${quoted(slug)} was deleted by ${actor}`,
  ),
}
