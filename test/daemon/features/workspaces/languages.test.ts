import { expect, it } from 'vitest'
import { languageName } from '../../../../daemon/features/workspaces/languages.ts'

it.each([
  ['German', 'German'],
  ['de', 'German'],
  ['FRENCH', 'French'],
  [' zulu ', 'Zulu'],
  ['Afar', 'Afar'],
  ['pt-BR', 'Brazilian Portuguese'],
  ['zh-Hant-TW', 'Chinese (Traditional, Taiwan)'],
  ['es-419', 'Latin American Spanish'],
  ['gsw', 'Swiss German'],
  ['de-', null],
  ['de-x-do-as-i-say', null],
  ['zz', null],
  ['', null],
  ['german shepherd', null],
  ['x'.repeat(40), null],
])('the language %s is called %s', (given, name) => expect(languageName(given)).toBe(name))
