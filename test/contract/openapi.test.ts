import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { urlOf } from '#contract/define'
import { noDryRun } from '#contract/dry-run'
import { openapi } from '#kernel/http/openapi'
import { daemon } from '#test'

const document = openapi()
const paths = document['paths'] as Record<
  string,
  Record<string, { operationId: string; responses: Record<string, unknown> }>
>
const musterd = new URL('../../bin/musterd.js', import.meta.url).pathname

describe('the OpenAPI document', () => {
  it('is valid by the public validator, which finds faults', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
    const broken = { ...structuredClone(document), paths: { '/x': { get: { responses: 5 } } } }
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
  })

  it('has every endpoint once, by its name', () => {
    const listed = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(listed.sort()).toEqual(endpoints.map(({ name }) => name).sort())
  })

  it('has all 254 endpoints of the specification', () => {
    const bare = (path: string) => path.replace(/\{\w+\}/g, '{}')
    const listed = readFileSync(new URL('data/endpoints.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
    expect(listed).toHaveLength(254)
    const served = new Set(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${bare(path)}`),
      ),
    )
    expect(listed.filter((line) => !served.has(bare(line)))).toEqual([])
  })

  it('has no two paths that only differ in the names of their parameters', () => {
    const bare = Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, '{}'))
    expect(bare.filter((path, index) => bare.indexOf(path) !== index)).toEqual([])
  })

  it('tells journal entries apart by their type, each with the schema of its payload', () => {
    const { schemas } = document['components'] as { schemas: Record<string, unknown> }
    const [list] = Object.values(paths).flatMap((methods) =>
      Object.values(methods).filter(({ operationId }) => operationId === 'journal.list'),
    )
    expect(JSON.stringify(list!.responses['200'])).toContain('{"$ref":"#/components/schemas/JournalEntry"}')
    expect(schemas['JournalEntry.container.started']).toEqual({
      allOf: [
        { $ref: '#/components/schemas/JournalEntry.any' },
        {
          type: 'object',
          properties: {
            entry_type: { const: 'container.started' },
            payload: { $ref: '#/components/schemas/Payload.container.started' },
          },
        },
      ],
    })
    expect(schemas['Payload.container.started']).toMatchObject({
      type: 'object',
      required: ['container_id'],
      properties: { error: { type: 'string' } },
    })
    expect(JSON.stringify(schemas['JournalEntry.audit.entity_deleted'])).toContain('Payload.crew.deleted')
    expect(JSON.stringify(schemas['JournalEntry'])).toContain('JournalEntry.container.started')
    // What is reserved has no schema yet, and must be allowed all the same.
    expect(schemas['JournalEntry.other']).toMatchObject({
      allOf: [{}, { properties: { entry_type: { not: { enum: expect.arrayContaining(['container.started']) } } } }],
    })
  })

  it.each(endpoints)('declares what $name answers and refuses', ({ endpoint }) => {
    const { responses } = paths[urlOf(endpoint).replace(/:(\w+)/g, '{$1}')]![endpoint.method.toLowerCase()]!
    expect(Object.keys(responses)).toContain(String(endpoint.status))
    expect(Object.keys(responses)).toContain('500')
    if (endpoint.method !== 'GET')
      expect(responses).toMatchObject({
        507: { description: 'storage_full' },
        503: { description: expect.stringContaining('storage_unavailable') },
      })
  })

  it.each(endpoints)('offers a dry run of $name where there is one', ({ endpoint }) => {
    const described = paths[urlOf(endpoint).replace(/:(\w+)/g, '{$1}')]![endpoint.method.toLowerCase()]!
    const { parameters } = described as unknown as { parameters: { name: string; schema: object }[] }
    const has = endpoint.method !== 'GET' && noDryRun(endpoint) === null
    expect(parameters.filter(({ name }) => name === 'dry_run').map(({ schema }) => schema)).toEqual(
      has ? [{ type: 'boolean' }] : [],
    )
    expect(JSON.stringify(described.responses).includes('schemas/DryRun')).toBe(has)
  })

  it('is served, and printed by a daemon that need not run', async () => {
    const { call } = await daemon()
    const { headers, body } = await call(null, 'GET', '/openapi.json')
    expect(headers['content-type']).toContain('application/json')
    expect(body).toEqual(JSON.parse(JSON.stringify(document)))
    const nowhere = { PATH: process.env['PATH'], HOME: '/nonexistent', SVC_DATA_DIR: '/nonexistent/muster' }
    const { stdout, stderr, status } = spawnSync(process.execPath, [musterd, 'openapi'], {
      cwd: '/',
      env: nowhere,
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    expect(JSON.parse(stdout)).toEqual(body)
  })
})
