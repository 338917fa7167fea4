import { expect, it } from 'vitest'
import { slugOf } from '../../../../daemon/features/peers/rules.ts'

it.each([' ada', '@ada', 'ada'])('%j names @ada', (given) => expect(slugOf(given)).toBe('ada'))
