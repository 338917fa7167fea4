import { describe, expect, it } from 'vitest'
import { idNames } from '../../../cli/lookup/names.ts'
import { cli } from '../../support/cli.ts'
import { commands, lineOf } from '../../support/commands.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { sampleId, sampleServer } from '../../support/sample-server.ts'

/** Arguments that name something by its slug, name or address as well. */
const named = [
  'agent',
  'credential',
  'crew',
  'invitation',
  'label',
  'member',
  'milestone',
  'mission',
  'project',
  'rule',
  'task',
  'template',
  'tripwire',
  'workspace',
]

/** Commands whose argument of such a name is no id, and why. */
const otherwise: Record<string, string> = {
  'routines:cancel-pending pending': 'shown by routines pending alone',
  'routines:watch routine-run': 'follows the run; it is looked up as by every other command',
  'members:add user': 'somebody who is no member yet',
  'logs subject': 'an agent, a crew or a run, which is looked up by itself',
  'shell subject': 'an agent or a crew, which is looked up by itself',
  'crews:connect other': 'a crew, which is looked up as the first one',
  'crews:disconnect other': 'a crew, which is looked up as the first one',
  'ask agent': 'waits for the agent; it is looked up as by every other command',
  'rooms:open room': 'needs a terminal; it is looked up as by every other command',
  'chat agent': 'needs a terminal; it is looked up as by every other command',
}

const takers = commands.flatMap((command) =>
  Object.keys(command.args)
    .filter((name) => [...idNames, ...named].includes(name) && !(`${command.id} ${name}` in otherwise))
    .map((name) => [command.id, name, command] as const),
)

const shell = (server: { url: string }) =>
  cli({ SVC_SERVER: server.url, SVC_TOKEN: 'svc_cli_test', SVC_WORKSPACE: 'backend' })

it('arguments that are described as ids are known', () => {
  const described = commands.flatMap(({ id, args }) =>
    Object.values(args)
      .filter(
        ({ name, description = '' }) =>
          /\bids?\b/.test(description) && !takers.some((it) => it[0] === id && it[1] === name),
      )
      .map(({ name }) => `${id} ${name}`),
  )
  expect(described.filter((it) => !(it in otherwise) && !/ user$/.test(it))).toEqual([])
})

describe.each(takers)('%s, its %s', (_, name, command) => {
  // An archive would be written into the folder of the tests.
  const archive = command.id === 'memory:export' ? ['--to', '-'] : []
  const flags = [...archive, ...('yes' in command.flags ? ['--yes'] : []), '--json']
  const asked = async (word: string) => {
    const server = await sampleServer()
    await shell(server).pipe('x', ...lineOf(command, { [name]: word }), ...flags)
    return server.seen
  }

  it('takes the end and the beginning of an id', async () => {
    for (const word of [sampleId.slice(-8), sampleId.slice(0, 12)]) {
      const seen = await asked(word)
      expect(seen.some(({ url, body }) => url.includes(sampleId) || body.includes(sampleId))).toBe(true)
      expect(seen.filter(({ url }) => new RegExp(`[/=]${word}\\b`).test(url))).toEqual([])
    }
  })

  it('says that there is no such one', async () => {
    const { code } = await shell(await sampleServer({ empty: true, without: 'c0zzzzzzzzzz9' })).pipe(
      'x',
      ...lineOf(command, { [name]: 'c0zzzzzzzzzz9' }),
      ...flags,
    )
    expect(command.id.startsWith('inbox:') ? [1, 3] : [3]).toContain(code)
  })
})

const twins = ['c0mjuohs005e6fu6qxd87qvyr', 'c0mjuohs005e7aaaaaad87qvyr', 'c0mk000000001bbbbbbbbbbbb']

it('names the candidates when several are meant, and changes nothing', async () => {
  const tokens = twins.map((id, at) => ({ id, name: at ? 'laptop' : 'ci', revoked_at: null }))
  const server = await fakeServer((_, reply) => json(reply, { data: tokens }))
  const { run } = shell(server)
  for (const word of ['d87qvyr', 'c0mjuohs', 'laptop']) {
    const ran = await run('tokens', 'revoke', word, '--yes')
    expect(ran).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`"${word}" stands for 2 tokens: `),
    })
    expect(ran.stderr).toContain(twins[1])
  }
  expect(server.seen.every(({ method }) => method === 'GET')).toBe(true)
  expect((await run('tokens', 'revoke', 'ci')).stderr).toContain('Revoke token ci?')
  expect((await run('tokens', 'revoke', 'ci', '--yes')).stderr).toContain('Revoked token ci.')
  expect(server.seen.at(-1)).toMatchObject({ method: 'DELETE', url: `/api/v1/auth/cli-tokens/${twins[0]}` })
  expect(await run('tokens', 'revoke', 'yr', '--yes')).toMatchObject({ code: 3 })
})

it.each([
  ['crews', 'show', sampleId],
  ['inbox', 'show', `ibx_run_${sampleId}`],
])('%s %s makes one request for a whole id', async (...words) => {
  const server = await sampleServer()
  expect(await shell(server).run(...words)).toMatchObject({ code: 0 })
  expect(server.seen.map(({ url }) => url.split('/').at(-1))).toEqual([words[2]])
})
