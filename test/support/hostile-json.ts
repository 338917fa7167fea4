const nested = (open: string, close: string, deep: number) => `${open.repeat(deep)}1${close.repeat(deep)}`
const members = (count: number) => Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',')

/** JSON that a body may be made of to bring down who reads it; each is put in place of a text. */
export const hostileJson: [what: string, json: string][] = [
  ['lists nested 5,000 deep', nested('[', ']', 5000)],
  ['objects nested 5,000 deep', nested('{"a":', '}', 5000)],
  ['lists nested 30,000 deep', nested('[', ']', 30_000)],
  ['a member named __proto__', '{"__proto__":{"polluted":true}}'],
  ['a long list', `[${Array(30_000).fill('1').join(',')}]`],
  ['many members', `{${members(4000)}}`],
  ['a long name', `{"${'n'.repeat(5000)}":1}`],
  ['a number that is none', '1e999'],
]

/** JSON that is odd, and must be taken or refused like any other. */
export const oddJson: [what: string, json: string][] = [
  ['the same name twice', '{"a":1,"a":{"b":2}}'],
  ['half a character', '"\\ud800"'],
  ['the end of a C string', '"a\\u0000b"'],
  ['a constructor with a prototype', '{"constructor":{"prototype":{"polluted":true}}}'],
  ['no object in place of what is turned into text', '{"toString":1,"valueOf":1}'],
  ['minus nothing', '-0'],
  ['a small number', '1e-999'],
]
