const secret = 'a wrong secret counts as an attempt, also when it is only tried'
const provider = 'it asks the provider, which knows no dry run'
const stranger = 'it is open to callers who are not signed in, and would tell them who has an account'
const conversation = 'each step follows from the answer to the one before'
const signingIn = 'signing in makes a token, without which nothing can be tried'
const code = 'a code is used up by the attempt'
const program = 'whoever is called works at once, and is no person who could look first'
const machine = 'it starts or ends processes of this machine'
const disk = "it works on the crew's disk, which takes nothing back"
const effectless = 'it has no effects itself, and shows what would be done'
const host = 'it works on the data folder while no daemon does'

/** Commands that change something and have no `--dry-run`, with the reason. */
export const untried: Readonly<Record<string, string>> = {
  'account:2fa:codes': secret,
  'account:2fa:confirm': secret,
  'account:2fa:off': secret,
  'account:2fa:on': secret,
  'account:forgot': stranger,
  'account:password': secret,
  'account:reset': stranger,
  'admin:gdpr:purge': 'it is done in many changes, one after the other',
  'admin:invalidate-sessions': host,
  'admin:promote': host,
  'admin:reset-password': host,
  'agents:trigger': program,
  'automations:preview': effectless,
  'consolidate:run': 'it asks a model, and what it proposes waits for people',
  'keeper:ask': 'it asks a model, and hands out what that allows',
  'keeper:evaluate': effectless,
  'keeper:test': effectless,
  'keeper:test-hosted': effectless,
  'keeper:probe': effectless,
  board: `${conversation}; \`muster issues update --dry-run\` tries one move`,
  chat: `${conversation}; \`muster ask --dry-run\` tries one message`,
  'channels:test': provider,
  'channels:test-draft': provider,
  'credentials:check': provider,
  'credentials:test': provider,
  doctor: 'without --fix it changes nothing, and shows what can be fixed',
  down: machine,
  'files:edit': disk,
  'files:pull': 'it writes files of this machine, and replaces them only with --force',
  'files:push': disk,
  'files:save': disk,
  inbox: `${conversation}; \`muster inbox act --dry-run\` tries one decision`,
  init: signingIn,
  'integrations:test': 'it asks the server, and changes nothing',
  'invitations:redeem': code,
  login: signingIn,
  'memory:search': effectless,
  pair: code,
  'pairing:redeem': code,
  'rooms:open': `${conversation}; \`muster rooms send --dry-run\` tries one message`,
  'routines:dry-run': effectless,
  'routines:edit': 'it opens an editor; `muster routines test` tries a definition without effects',
  'routines:save': 'it tests the definition first; `muster routines test` does so alone, without effects',
  'routines:test': effectless,
  signup: stranger,
  up: machine,
  'waitpoints:complete': stranger,
  'webhooks:fire': program,
  wait: 'without --on-question deny it changes nothing, and what a run will ask is not known before',
  'templates:suggest': effectless,
  'skills:generate': 'it asks a model, which costs tokens in any case',
}
