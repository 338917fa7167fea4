/** A SKILL.md with these members of its front matter. */
export const skillText = (name: string, members: Record<string, string> = {}, body = '# Do it\n'): string =>
  [
    '---',
    `name: ${name}`,
    ...Object.entries({
      description: 'Fills forms. Use when somebody asks for a filled form.',
      license: 'MIT',
      ...members,
    }).map(([key, value]) => `${key}: ${value}`),
    '---',
    '',
    body,
  ].join('\n')

/** A file beside it, as it is imported. */
export const skillFile = (path: string, content: string | Buffer, executable = false) => ({
  path,
  content_base64: Buffer.from(content).toString('base64'),
  executable,
})
