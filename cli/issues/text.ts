/** An issue as a person writes it: the title on the first line, the description below it. */
export interface IssueText {
  title: string
  description: string
}

export const toText = ({ title, description }: { title: string; description: string | null }): string =>
  `${title}\n${description ? `\n${description.replace(/\n?$/, '\n')}` : ''}`

/** The first line that is not blank is the title; blank lines around the description are left out. */
export function fromText(text: string): IssueText {
  const [title = '', ...rest] = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/^\s*\n/, '')
    .split('\n')
  return {
    title: title.trim(),
    description: rest
      .join('\n')
      .replace(/^\s*\n/, '')
      .trimEnd(),
  }
}
