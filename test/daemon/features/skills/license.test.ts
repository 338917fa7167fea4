import { expect, it } from 'vitest'
import { openLicense } from '../../../../daemon/features/skills/license.ts'

it.each([
  ['MIT', 'MIT'],
  ['mit', 'MIT'],
  ['The MIT License', 'MIT'],
  ['Apache License, Version 2.0', 'Apache-2.0'],
  ['Apache-2.0 (see LICENSE.txt)', 'Apache-2.0'],
  ['0BSD', '0BSD'],
  ['MIT OR GPL-3.0-only', 'MIT'],
  ['(Apache-2.0 AND MIT)', 'Apache-2.0 AND MIT'],
  ['MIT AND GPL-3.0-only', null],
  ['MIT OR (ISC AND GPL-2.0)', null],
  ['GPL-3.0', null],
  ['MITRE', null],
  ['MIT-CMU', null],
  ['MIT with commons clause', null],
  ['MPL-2.0-no-copyleft-exception', null],
  ['Proprietary. LICENSE.txt has complete terms', null],
  ['', null],
  [null, null],
])('%s is %s', (text, license) => expect(openLicense(text)).toBe(license))
