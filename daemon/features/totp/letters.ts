import type { Letter } from '#kernel/mail/letter'

type Told = Omit<Letter, 'to' | 'name'>

const notYou =
  'If that was not you, change your password now, then end your other sessions and revoke the tokens ' +
  'that you do not know.'
const kind = 'two-factor'

function remaining(left: number): string {
  if (left === 0) return 'It was the last one: make new ones.'
  return left === 1 ? 'There is 1 left.' : `There are ${left} left.`
}

/** What the owner of an account is told of its second factor; never a code. */
export const letters = {
  turnedOn: (): Told => ({
    kind,
    subject: 'Your second factor is on',
    blocks: ['From now on, signing in to your account asks for a code of your authenticator app.', notYou],
  }),
  moved: (): Told => ({
    kind,
    subject: 'Your second factor was moved to another app',
    blocks: ['The codes of your former authenticator app and your old recovery codes are no longer accepted.', notYou],
  }),
  turnedOff: (): Told => ({
    kind,
    subject: 'Your second factor is off',
    blocks: ['Signing in to your account asks for the password alone.', notYou],
  }),
  renewed: (): Told => ({
    kind,
    subject: 'You have new recovery codes',
    blocks: ['New recovery codes were made for your account; the old ones are no longer accepted.', notYou],
  }),
  recoveryUsed: (left: number): Told => ({
    kind,
    subject: 'A recovery code of yours was used',
    blocks: [`A recovery code was used in place of a code of your authenticator app. ${remaining(left)}`, notYou],
  }),
  guessed: (): Told => ({
    kind,
    subject: 'Your account is locked: wrong codes',
    blocks: [
      'Somebody gave your right password, and then wrong codes of your second factor until the account was ' +
        'locked for a while.',
      'If that was not you, somebody knows your password: change it now.',
    ],
  }),
}
