import { emojiLimits } from '#contract/chat-people'

// Also a sign that is spelled without the selector of its coloured form.
const sign = String.raw`\p{RGI_Emoji}|\p{Extended_Pictographic}\u{FE0F}?`
const emoji = new RegExp(`^(?:${sign})+$`, 'v')
// What only changes the sign before it, joins two, or names the region of a flag of tags.
const modifier = /\p{Emoji_Modifier}|\u{200D}|\u{20E3}|\u{FE0F}|[\u{E0020}-\u{E007F}]/u

/** Whether a text is 1 to 8 emoji, not counting their modifiers. */
export function isEmoji(text: string): boolean {
  if (text.length > emojiLimits.characters || !emoji.test(text)) return false
  return [...text].filter((point) => !modifier.test(point)).length <= emojiLimits.emoji
}
