import { Args, Flags } from '@oclif/core'
import type { ProblemError } from '#client'
import { textOf } from '#client/connection'
import { ApiCommand } from '../command.ts'
import { allPages } from '../raw/pages.ts'
import { rawRequest } from '../raw/request.ts'

export default class ApiCall extends ApiCommand<typeof ApiCall> {
  static override summary = 'Send a request to the API'
  static override description =
    'The path is relative to /api/v1 unless it starts with /api/. Server, token and workspace are chosen as for ' +
    'every other command. `muster api GET /openapi.json` describes all requests.'
  static override examples = [
    '$ <%= config.bin %> api GET /crews',
    "$ <%= config.bin %> api crews --jq '.[].slug'",
    '$ <%= config.bin %> api POST /crews -f name=Research -f slug=research',
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
      char: 'f',
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
      description: 'like -f, but parsed as JSON; @FILE reads the text of a file',
    }),
    input: Flags.string({ helpValue: 'FILE', description: 'read the body from a file, or from standard input with -' }),
    include: Flags.boolean({ char: 'i', description: 'print status and headers first' }),
    paginate: Flags.boolean({ description: 'fetch all pages of a list' }),
  }

  protected override readonly speaksOfRequests = true

  async run(): Promise<void> {
    const { method, path, body } = await rawRequest(this.args as { method: string; path?: string }, this.flags)
    if (this.flags.paginate && method === 'GET') return this.result(await allPages(this.connection, path))
    const reply = await this.connection
      .stream(method, path, { body, headers: { accept: '*/*' } })
      .catch((error: ProblemError) => this.refused(error))
    if (this.flags.include) this.head(reply.status, reply.headers)
    const type = String(reply.headers['content-type'] ?? '')
    if (/\bjson\b/.test(type) && !/ndjson/.test(type)) return this.result(JSON.parse(await textOf(reply.body)))
    reply.body.setEncoding('utf8')
    for await (const text of reply.body) this.out.text(text as string)
  }

  private async result(value: unknown): Promise<void> {
    const form = this.out.wanted
    const view = { name: (row: unknown) => nameOf(row), columns: {} }
    if (form.format === 'ndjson' || form.format === 'name')
      return this.out.list(Array.isArray(value) ? value : [value], view, value)
    await this.out.value(value)
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

function nameOf(row: unknown): string {
  const { slug, id, name } = (typeof row === 'object' && row !== null ? row : {}) as Record<string, unknown>
  return String(slug ?? id ?? name ?? '')
}
