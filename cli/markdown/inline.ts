import type { Token, Tokens } from 'marked'
import type { Tone } from '../output/theme.ts'
import { displayable, type Span } from './rows.ts'

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: '\u00a0',
}

/** Only names of plain characters: a number could name one that acts on the terminal. */
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (_, name: string) => entities[name]!)

/** marked itself turns `&#27;` into the character that it names: what comes out of it is cleaned again. */
const leaf = (text: string, tones: readonly Tone[]): Span => ({ text: displayable(text), tones })

/** Running text with its emphasis. */
export function inline(tokens: readonly Token[], tones: readonly Tone[] = []): Span[] {
  return tokens.flatMap((token) => one(token as Tokens.Generic, tones))
}

function one(token: Tokens.Generic, tones: readonly Tone[]): Span[] {
  const within = (...more: Tone[]) => inline(token.tokens ?? [], [...tones, ...more])
  switch (token.type) {
    case 'strong':
      return within('bold')
    case 'em':
      return within('italic')
    case 'del':
      return within('strike')
    case 'codespan':
      return [leaf(token['text'], [...tones, 'cyan'])]
    case 'br':
      return [{ text: '\n', tones: [] }]
    case 'link':
      return link(token as Tokens.Link, tones)
    case 'image':
      return [leaf(token['text'] || 'image', [...tones, 'underline']), leaf(` (${token['href']})`, ['dim'])]
    // The box itself is drawn by the list.
    case 'checkbox':
      return []
    case 'html':
      return [leaf(token.raw, tones)]
    case 'text':
      return token.tokens ? within() : [leaf(decoded(token['text']), tones)]
    default:
      return token.tokens ? within() : [leaf(decoded(token['text'] ?? token.raw), tones)]
  }
}

/** Where a link leads is always shown: its words could say anything. */
function link({ href, tokens }: Tokens.Link, tones: readonly Tone[]): Span[] {
  const words = inline(tokens, [...tones, 'underline'])
  const shown = words.map(({ text }) => text).join('')
  return shown === href || `mailto:${shown}` === href ? words : [...words, leaf(` (${href})`, ['dim'])]
}
