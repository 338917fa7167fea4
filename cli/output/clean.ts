// Terminal control sequences: CSI, OSC/DCS/SOS/PM/APC with their text, and other two-byte escapes. An unended string
// runs to its line's end.
const csi = /(?:\u001b\[|\u009b)[\u0020-\u003f]*[\u0040-\u007e]?/
const texts = /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?/
const others = /\u001b[\u0020-\u002f]*[\u0030-\u007e]?/
const sequences = new RegExp(`${csi.source}|${texts.source}|${others.source}`, 'g')
// DEL, C1, and the characters that reorder, hide or break text.
const marks =
  '\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb'
// With what is left of C0 (but tab and newline).
const controls = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f${marks}]`, 'g')
const suspicious = new RegExp(controls.source)
const acting = new RegExp(`[${marks}]`, 'g')

/** Text from servers and agents, made safe for a terminal: no escape sequence, control or reordering mark is left. */
export function clean(text: string): string {
  if (!suspicious.test(text)) return text
  return text.replace(/\r\n/g, '\n').replace(sequences, '').replace(controls, '')
}

// What `painter` writes: hidden and blinking text is not among it.
const tones = /(\u001b\[(?:[1-4]|9|2[2-4]|29|3[1-6]|39)m)/

/** As `clean`, but for the colours of our own. */
export const cleanPainted = (text: string): string =>
  text
    .split(tones)
    .map((part, at) => (at % 2 ? part : clean(part)))
    .join('')

/** As `clean`, on one line. */
export const cleanLine = (text: string): string => clean(text.replace(/\r?\n|\r/g, ' ').replace(/\t/g, ' ')).trim()

/** As `cleanLine`, for a line of code: the spaces before it stay, and a tab is two. */
export const cleanCode = (text: string): string => clean(text.replace(/[\r\n]/g, ' ').replace(/\t/g, '  ')).trimEnd()

/** JSON text in which every character that a terminal might act on is escaped; it parses to the same value. */
export const cleanJson = (json: string): string =>
  json.replace(acting, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
