/** The next command after a failed run, by the kind of failure. */
const remedies: Readonly<Record<string, string>> = {
  bad_key: 'muster credentials list, then muster credentials rotate NAME',
  quota: 'muster credentials list, and assign another one to the agent',
  overloaded: 'try again in a minute',
  unreachable: 'muster doctor',
  upstream: 'musterd config, which shows where model calls go',
  unknown_model: 'muster agents update AGENT --model NAME',
  turn_cap: 'muster ask AGENT "..." --max-turns 200',
  client_missing: 'muster doctor',
  runtime_unavailable: 'muster doctor',
  runtime_failed: 'muster doctor',
  timeout: 'muster agents update AGENT --timeout SECONDS',
}

/** The next command after a failed run; null when none helps. */
export function nextOf(reason: string | null, agent: string): string | null {
  const known = reason !== null && Object.hasOwn(remedies, reason) ? remedies[reason] : undefined
  return known?.replace('AGENT', agent) ?? null
}
