import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { endpoints } from '#contract'
import type { Manifest } from '../../cli/main.ts'

const { commands } = JSON.parse(readFileSync(new URL('../../oclif.manifest.json', import.meta.url), 'utf8')) as Manifest
const names = new Set(
  Object.values(commands).flatMap(({ id, aliases, hiddenAliases }) => [id, ...aliases, ...hiddenAliases]),
)

/** Operations that no command is named after, and why. */
const none: Record<string, string> = {
  ...Object.fromEntries(
    endpoints.filter(({ feature }) => feature === 'pages').map(({ name }) => [name, 'pages are for browsers']),
  ),
  'sessions.csrf': 'a step of `muster login --email`',
  'sessions.providers': 'for programs that speak to many kinds of servers',
  'sessions.current': 'speaks of cookies; `muster whoami` speaks of the token',
  'sessions.confirm': 'a token has nothing to confirm',
  'sessions.refresh': 'cookies only',
  'sessions.signin': 'a redirect for browsers',
  'sessions.signout': 'cookies only; `muster logout` ends the token, `muster sessions revoke` a browser',
  'sessions.error': 'a sentence for browsers after a redirect',
  'issues.find': '`muster issues show` finds it',
  'issues.ofCrew': '`muster issues list --crew` lists them',
  'missions.ofCrew': '`muster missions list --crew` lists them',
  'consolidate.diff': '`muster consolidate show` shows it',
  'consolidate.explain': '`muster consolidate show` shows it',
  'journal.verification': '`muster journal verify` follows it',
  'mcp.call': '`muster mcp serve` carries its messages',
  'blame.show': '`muster blame` shows it',
  'checkpoints.forkMission': '`muster checkpoints fork` forks any checkpoint',
  'idp.redirect': 'leads a browser to the identity provider',
  'oauth.callback': 'is where an authorization server sends the browser back to',
  'idp.callback': 'is where the identity provider sends the browser back to',
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

it.each(
  endpoints
    .filter(({ endpoint }) => endpoint.access !== 'internal')
    .map(({ name, feature, op }) => [name, `${kebab(feature)}:${kebab(op)}`]),
)('%s is a command', (name, id) => {
  if (name in none) expect(names.has(id)).toBe(false)
  else expect(names).toContain(id)
})

it.each([
  ['manifest', 'oclif.manifest.json'],
  ['reference', 'docs/cli'],
])('build/%s.mjs would write %s as it is', (name) => {
  const program = new URL(`../../build/${name}.mjs`, import.meta.url).pathname
  const { status, stderr } = spawnSync(process.execPath, [program, '--check'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
