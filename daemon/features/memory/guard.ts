/** Why a text is not taken into memory, and the line at fault. */
export interface Refused {
  reason: 'secret' | 'injection'
  line: number
  what: string
}

interface Rule {
  what: string
  pattern: RegExp
}

/** Patterns one behind the other. */
const joined = (flags: string, ...parts: RegExp[]): RegExp =>
  new RegExp(parts.map(({ source }) => source).join(''), flags)

/** Secrets by their shape: what was given to an agent is removed from its calls before. */
const secrets: readonly Rule[] = [
  { what: 'a private key', pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/ },
  { what: 'an access key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { what: 'an access token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})\b/ },
  { what: 'an access token', pattern: /\b(?:glpat-|npm_|hf_|dop_v1_)[A-Za-z0-9_-]{20,}/ },
  { what: 'an API key', pattern: /\b[sr]k[-_](?:[a-z0-9]{2,12}[-_]){0,3}(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}/ },
  { what: 'an API key', pattern: /\bAIza[0-9A-Za-z_-]{35}/ },
  { what: 'a token of a chat', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/ },
  { what: 'a signed token', pattern: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/ },
  { what: 'an address with a password', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/@]{3,200}@/i },
  {
    what: 'a value that is called a secret',
    pattern: joined(
      'i',
      /(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?/,
      /(?=[^\s"']{0,60}\d)(?=[^\s"']{0,60}[A-Za-z])[^\s"'<>{}$*]{12,}/,
    ),
  },
]

/** Words by which a text speaks to a model instead of telling it something. */
const injections: readonly Rule[] = [
  {
    what: 'an order to disregard instructions',
    pattern: joined(
      '',
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}/,
      /\b(?:previous|prior|above|earlier|preceding|system|all|your|other|existing)\b.{0,30}/,
      /\b(?:instructions?|prompts?|rules?|directives?|guidelines?)\b/,
    ),
  },
  { what: 'a new role', pattern: /\byou are (?:now|from now on) (?:an?|the|in|called)\b|\bfrom now on,? you are\b/ },
  {
    what: 'instructions in the name of the system',
    pattern: /\b(?:new|updated|real|actual) (?:system )?instructions?\s?:/,
  },
  {
    what: 'a mark of a system message',
    pattern: /<\/?\s?(?:system|assistant|developer)(?:[-_ ](?:prompt|message))?\s?>/,
  },
  { what: 'a mark of a system message', pattern: /\[\/?(?:system|inst)\]|<\|im_(?:start|end)\|>|<<\/?sys>>/ },
  {
    what: 'an order to show instructions',
    pattern: joined(
      '',
      /\b(?:reveal|print|show|repeat|output|leak)\b.{0,30}/,
      /\b(?:system prompt|hidden instructions?|your instructions?)\b/,
    ),
  },
  {
    what: 'an order to keep something from people',
    pattern: joined(
      '',
      /\b(?:do not|don't|never) (?:tell|inform|mention (?:this|it) to|show (?:this|it) to|alert) (?:the |any )?/,
      /(?:users?|humans?|people|anyone|operators?|owners?)\b/,
    ),
  },
]

/** Characters that people do not see: tags, overrides of direction, marks of width zero but those within emoji. */
const hidden = /[\u{E0000}-\u{E007F}\u202A-\u202E\u2066-\u2069\u200B\u2060-\u2064\uFEFF\u00AD\u180E]/u
const hiddenAll = new RegExp(hidden, 'gu')
const control = /[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/**
 * Why a text may not be remembered, if so: it is given to models in every run, and must hold no secret, nothing that
 * people do not see, and no orders to models.
 */
export function refusedText(text: string): Refused | null {
  const unseen = hidden.exec(text) ?? control.exec(text)
  if (unseen) return { reason: 'injection', line: lineAt(text, unseen.index), what: 'a character that is not seen' }
  const plain = text.normalize('NFKC').replace(hiddenAll, '')
  for (const { what, pattern } of secrets) {
    const found = pattern.exec(plain)
    if (found) return { reason: 'secret', line: lineAt(plain, found.index), what }
  }
  // Line ends become blanks, so that an order is found over two lines as well; lengths stay as they are.
  const flat = plain
    .toLowerCase()
    .replace(/\s/g, ' ')
    .replace(/ {2,}/g, (blanks) => ' '.padEnd(blanks.length, '\u0000'))
  const tight = flat.replaceAll('\u0000', '')
  for (const { what, pattern } of injections) {
    const found = pattern.exec(tight)
    if (found) return { reason: 'injection', line: lineAt(plain, original(flat, found.index)), what }
  }
  return null
}

/** Where in a text with filled blanks the character stands that has this place without them. */
function original(flat: string, index: number): number {
  let left = index
  for (let at = 0; at < flat.length; at++) {
    if (flat[at] === '\u0000') continue
    if (left === 0) return at
    left--
  }
  return flat.length
}
