/** The models of built-in crews: one for judgement and long work, one for work that is mostly writing. */
export const models: Readonly<Record<string, string>> = { strong: 'claude-opus-4-8', quick: 'claude-sonnet-4-6' }
