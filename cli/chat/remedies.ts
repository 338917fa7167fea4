/** What to type after a run failed, by what it failed of. */
const remedies: Readonly<Record<string, string>> = {
  bad_key: 'muster credentials list, then muster credentials rotate NAME',
  quota: 'muster credentials list, and assign another one to the agent',
  overloaded: 'try again in a minute',
  unreachable: 'muster doctor',
  unknown_model: 'muster agents update AGENT --model NAME',
  turn_cap: 'muster ask AGENT "..." --max-turns 200',
  client_missing: 'muster doctor',
  runtime_unavailable: 'muster doctor',
  runtime_failed: 'muster doctor',
  timeout: 'muster agents update AGENT --timeout SECONDS',
}

/** The next command after a run that did not end well; null when there is none that helps. */
export function nextOf(reason: string | null, agent: string): string | null {
  const known = reason !== null && Object.hasOwn(remedies, reason) ? remedies[reason] : undefined
  return known?.replace('AGENT', agent) ?? null
}
