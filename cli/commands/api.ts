import { Args, Flags } from '@oclif/core'
import type { ProblemError } from '#client'
import { textOf } from '#client/connection'
import { ApiCommand } from '../command.ts'
import { allPages } from '../raw/pages.ts'
import { rawRequest, withQuery } from '../raw/request.ts'

export default class ApiCall extends ApiCommand<typeof ApiCall> {
  static override summary = 'Send a request to the API'
  static override description =
    'The path is relative to /api/v1 unless it starts with /api/. Server, token and workspace are chosen as for ' +
    'every other command. `muster api GET /openapi.json` describes all requests.'
  static override result = { any: true as const }
  static override examples = [
    '$ <%= config.bin %> api GET /crews',
    "$ <%= config.bin %> api crews --jq '.[].slug'",
    '$ <%= config.bin %> api POST /crews -d name=Research -d slug=research',
    '$ <%= config.bin %> api PATCH /crews/research -F container_memory_mb=2048',
    '$ <%= config.bin %> api POST /credentials --input - < credential.json',
    '$ <%= config.bin %> api GET /journal --paginate -o ndjson',
  ]
  static override args = {
    method: Args.string({ required: true, description: 'HTTP method; if omitted, GET, or POST with fields' }),
    path: Args.string({ description: 'path, such as /crews' }),
  }
  static override flags = {
    field: Flags.string({
      char: 'd',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=TEXT',
      description: 'text field of the body, or query parameter of a GET',
    }),
    typed: Flags.string({
      char: 'F',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'NAME=JSON',
      description: 'like -d, but parsed as JSON; @FILE reads the text of a file',
    }),
    input: Flags.string({ helpValue: 'FILE', description: 'read the body from a file, or from standard input with -' }),
    include: Flags.boolean({ char: 'i', description: 'print status and headers first' }),
    'dry-run': Flags.boolean({ description: 'show what a change would record and answer, and change nothing' }),
    paginate: Flags.boolean({ description: 'fetch all pages of a list' }),
  }

  protected override readonly speaksOfRequests = true

  async run(): Promise<void> {
    const { method, path: asked, body } = await rawRequest(this.args as { method: string; path?: string }, this.flags)
    const tries = this.flags['dry-run'] && !['GET', 'HEAD'].includes(method)
    const path = tries ? withQuery(asked, { dry_run: 'true' }) : asked
    if (this.flags.paginate && method === 'GET')
      return this.out.value(await allPages(this.connection, path), { strict: true })
    const reply = await this.connection
      .stream(method, path, { body, headers: { accept: '*/*' } })
      .catch((error: ProblemError) => this.refused(error))
    if (this.flags.include) this.head(reply.status, reply.headers)
    const type = String(reply.headers['content-type'] ?? '')
    if (/\bjson\b/.test(type) && !/ndjson/.test(type)) {
      // A change is made: its answer is shown, whatever members it has.
      return this.out.value(JSON.parse(await textOf(reply.body)), { strict: method === 'GET' })
    }
    reply.body.setEncoding('utf8')
    for await (const text of reply.body) this.out.text(text as string)
  }

  /** The answer to a dry run is shown as every answer is. */
  protected override get dry(): boolean {
    return false
  }

  private refused(error: ProblemError): never {
    if (this.flags.include && error.problem) this.head(error.problem.status, {})
    throw error
  }

  private head(status: number, headers: object): void {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    this.out.text(`HTTP ${[status, ...lines].join('\n')}\n\n`)
  }
}
