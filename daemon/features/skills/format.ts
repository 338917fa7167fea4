import { parseDocument } from 'yaml'
import { skillCategories, skillFileBytes, skillMaturities, skillRuntimes } from '#contract/skills'
import { isVisible } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { plainSlug } from '#kernel/slugs'

/** What the front matter of a SKILL.md says, in the words of the catalogue. */
export interface SkillText {
  name: string
  slug: string
  display_name: string
  description: string | null
  version: string
  author: string | null
  vendor: string
  homepage: string | null
  license: string | null
  category: string
  runtime: string
  maturity: string
  icon: string | null
  /** JSON arrays of texts. */
  tags: string | null
  credential_requirements: string | null
  description_quality: string
}

const frontMatter = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/
/** Bytes of a front matter. */
const mostMatter = 16 * 1024

const invalid = (detail: string): never => {
  throw problem('skill_invalid', { detail, field: 'content' })
}

/** Reads a SKILL.md; what is no skill is refused with the reason, and the line where there is one. */
export function readSkill(content: string): SkillText {
  if (Buffer.byteLength(content) > skillFileBytes) invalid(`SKILL.md may have ${skillFileBytes / 1024} KiB`)
  if (content.includes('\u0000') || content.includes('\uFFFD')) invalid('SKILL.md must be text in UTF-8')
  const matter = frontMatter.exec(content)
  if (!matter) return invalid('SKILL.md must begin with a front matter between two lines of ---')
  const members = membersOf(matter[1] ?? '')
  const more = isRecord(members['metadata']) ? members['metadata'] : {}
  const said = (name: string, most: number) => lineOf(name, members[name] ?? more[name], most)
  const name = said('name', 100) ?? invalid('The front matter must have a name')
  const slug = skillSlug(name)
  if (!slug) invalid('The name must have letters or digits from a to z')
  const description = proseOf(members['description'])
  return {
    name,
    slug,
    display_name: said('display_name', 100) ?? slug,
    description,
    version: said('version', 50) ?? '1.0.0',
    author: said('author', 200),
    vendor: said('vendor', 100) ?? 'community',
    homepage: addressOf(said('homepage', 2000)),
    license: said('license', 500),
    category: oneOf(skillCategories, said('category', 100)) ?? 'CUSTOM',
    runtime: oneOf(skillRuntimes, said('runtime', 100)) ?? 'INSTRUCTIONS',
    maturity: oneOf(skillMaturities, said('maturity', 100)) ?? 'COMMUNITY',
    icon: said('icon', 50),
    tags: textsOf('tags', members['tags'] ?? more['tags']),
    credential_requirements: textsOf('credential_requirements', members['credential_requirements']),
    description_quality: qualityOf(description),
  }
}

/** What follows the front matter. */
export const bodyOf = (content: string): string => content.replace(frontMatter, '')

function membersOf(text: string): Record<string, unknown> {
  if (Buffer.byteLength(text) > mostMatter) invalid(`The front matter may have ${mostMatter / 1024} KiB`)
  const document = read(text)
  const [error] = document.errors
  if (error) {
    const line = (error.linePos?.[0].line ?? 0) + 1
    // The parser tells the end of its own stack like a fault of the text.
    const reason = /call stack/i.test(error.message)
      ? 'it is nested too deeply'
      : error.message.split('\n', 1)[0]!.replace(/ at line .*$/, '')
    invalid(`Line ${line} of SKILL.md cannot be read: ${reason}`)
  }
  const members = plain(document)
  if (!isRecord(members)) return invalid('The front matter must have members, such as name: pdf')
  return members
}

function read(text: string) {
  try {
    return parseDocument(text, { schema: 'core', uniqueKeys: true, logLevel: 'silent' })
  } catch {
    // What is nested too deeply ends the parser itself.
    return invalid('The front matter cannot be read')
  }
}

function plain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 })
  } catch {
    return invalid('The front matter must not refer to parts of itself')
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function scalar(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && isVisible(value) ? value.normalize('NFC').trim() : null
}

const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

function lineOf(name: string, value: unknown, most: number): string | null {
  const text = scalar(value)
  if (text === null) return null
  if (unseen.test(text) || [...text].length > most)
    return invalid(`${name} of the front matter must be one line of at most ${most} characters`)
  return text
}

/** Characters of a description; the public format has as many. */
const mostDescription = 1024

function proseOf(value: unknown): string | null {
  const text = scalar(value)?.replace(/\s+/g, ' ') ?? null
  if (text === null) return null
  if (unseen.test(text) || [...text].length > mostDescription)
    return invalid(`description of the front matter must have at most ${mostDescription} characters`)
  return text
}

const addressOf = (text: string | null): string | null => (text !== null && /^https?:\/\/\S+$/.test(text) ? text : null)

const oneOf = <T extends string>(values: readonly T[], given: string | null): T | undefined =>
  values.find((value) => value === given?.toUpperCase())

const [mostTexts, mostText] = [50, 200]

function textsOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null
  const given = (Array.isArray(value) ? value : String(scalar(value) ?? '').split(',')) as unknown[]
  if (given.length > mostTexts) invalid(`${name} of the front matter may have ${mostTexts} entries`)
  const texts = given.map((it) => lineOf(name, isRecord(it) ? (it['name'] ?? it['env']) : it, mostText))
  return JSON.stringify(texts.filter((text) => text !== null))
}

/** The folder of a skill: letters, digits and single dashes, as the public format names it. */
export const skillSlug = (name: string): string => plainSlug(name, 64)

const triggers = /\buse (?:this )?(?:skill )?when\b|\buseful (?:for|when)\b|\bto [a-z]{3,}\b|\bfor [a-z]{2,}ing\b/i

/** What a description lacks by which models find out when to use the skill. */
function qualityOf(description: string | null): string {
  if (description === null) return 'there is no description'
  if ([...description].length < 30) return 'the description is shorter than 30 characters'
  return triggers.test(description) ? '' : 'the description does not say when to use the skill'
}
