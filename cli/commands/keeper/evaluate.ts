import { Flags } from '@oclif/core'
import { judgeProfiles } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, oneOf } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { type Case, cases, kinds } from '../../keeper/cases.ts'
import { type Outcome, type Price, scoreOf } from '../../keeper/scores.ts'
import { measuredView } from '../../views/keeper-measured.ts'

export default class KeeperEvaluate extends ApiCommand<typeof KeeperEvaluate> {
  static override summary = 'Measure the judge with 120 requests whose answers are known'
  static override description =
    'Asks the judge that is set up about requests that come with Muster: benign, careless, malicious and injected, ' +
    '30 of each. Nothing is stored; each request costs what the model costs. For ADMIN and OWNER of the first ' +
    'workspace of the server. Exits with 1 when something was allowed that should not have been.'
  static override examples = [
    '$ <%= config.bin %> keeper evaluate',
    '$ <%= config.bin %> keeper evaluate --profile strict --price 0.25,2',
    '$ <%= config.bin %> keeper evaluate --kind injected --json',
  ]
  static override next = { insufficient_role: 'muster keeper config' }
  static override result = {
    of: ['keeper.evaluate'],
    members: [
      'requests',
      'false_allows',
      'false_denies',
      'escalations',
      'failures',
      'by_kind',
      'p50_latency_ms',
      'p95_latency_ms',
      'cost_usd',
      'prompt_tokens',
      'answer_tokens',
    ],
  }
  static override flags = {
    profile: oneOf(judgeProfiles, { description: 'profile to try in place of the one that is set up' }),
    kind: oneOf(kinds, { description: 'requests of this kind alone' }),
    price: Flags.string({
      helpValue: 'IN,OUT',
      description: 'USD for a million tokens of questions and of answers, to estimate the cost',
    }),
  }

  async run(): Promise<void> {
    const price = priceIn(this.flags.price)
    const wanted = cases.filter(({ kind }) => this.flags.kind === undefined || kind === this.flags.kind)
    const outcomes: Outcome[] = []
    let stamp = ''
    for (let from = 0; from < wanted.length; from += 5) {
      const some = wanted.slice(from, from + 5)
      const reply = await this.api.keeper.evaluate({
        body: given({ profile: this.flags.profile, cases: some.map(toldOf) }),
      })
      stamp = reply.stamp
      outcomes.push(...reply.outcomes.map((it, at) => ({ ...it, id: some[at]!.id, kind: some[at]!.kind })))
    }
    const score = scoreOf(outcomes, price)
    await this.out.show({ stamp, ...score, outcomes }, measuredView)
    if (score.false_allows) process.exitCode = 1
  }
}

function priceIn(text: string | undefined): Price | null {
  if (text === undefined) return null
  const [prompt, answer, more] = text.split(',').map(Number)
  if (prompt === undefined || answer === undefined || more !== undefined || !(prompt >= 0) || !(answer >= 0))
    throw new InputError('--price takes two numbers.', 'muster keeper evaluate --help')
  return { prompt, answer }
}

const toldOf = ({ level, agent, crew, work, credential, intent, command, conversation }: Case) => ({
  level,
  agent,
  crew,
  work: [...work],
  credential_name: credential.name,
  credential_description: credential.description,
  intent,
  ...(command !== undefined && { command }),
  ...(conversation && { conversation: [...conversation] }),
})
