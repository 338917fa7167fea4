import { type Letter, shownTime } from '#kernel/mail/letter'

interface Changed {
  email: string
  full_name: string | null
  /** `change`: by somebody who knew the old one. `reset`: with a mail. */
  how: 'change' | 'reset'
  at: string
  /** Where the server is, as users see it; null when it does not say. */
  origin: string | null
}

const what = {
  change: 'The password of this account was changed. Every other browser that was signed in is signed out.',
  reset:
    'The password of this account was replaced with the help of a mail to this address. Every browser that was ' +
    'signed in is signed out.',
}

/** The password is another one from now on. */
export const changedLetter = ({ email, full_name, how, at, origin }: Changed): Letter => ({
  to: email,
  kind: 'password_changed',
  subject: 'Your Muster password was changed',
  name: full_name,
  blocks: [
    what[how],
    { facts: { When: shownTime(at) } },
    'CLI tokens go on working. If you think that somebody else had access, look through them and revoke those ' +
      'that you do not know:',
    { code: ['muster tokens list', 'muster tokens revoke TOKEN'] },
    'If it was not you, ask for a new password at once, and tell whoever runs the server:',
    { code: [`muster account forgot ${email}${origin ? ` -s ${origin}` : ''}`] },
  ],
})
