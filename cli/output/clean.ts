// Terminal control sequences: CSI, OSC/DCS/SOS/PM/APC with their text, and other two-byte escapes. An unended string
// runs to its line's end.
const csi = /(?:\u001b\[|\u009b)[\u0020-\u003f]*[\u0040-\u007e]?/
const texts = /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?/
const others = /\u001b[\u0020-\u002f]*[\u0030-\u007e]?/
const sequences = new RegExp(`${csi.source}|${texts.source}|${others.source}`, 'g')
// What is left of C0 (but tab and newline), DEL, C1, and the marks that reorder or hide text.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const suspicious = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/

/** Text from servers and agents, made safe for a terminal: no escape sequence, control or reordering mark is left. */
export function clean(text: string): string {
  if (!suspicious.test(text)) return text
  return text.replace(/\r\n/g, '\n').replace(sequences, '').replace(controls, '')
}

/** As `clean`, on one line. */
export const cleanLine = (text: string): string => clean(text.replace(/\r?\n|\r/g, ' ').replace(/\t/g, ' ')).trim()

/** JSON text in which every character that a terminal might act on is escaped; it parses to the same value. */
export const cleanJson = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
