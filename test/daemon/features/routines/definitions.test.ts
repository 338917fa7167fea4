import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { definitionSchema } from '#contract/routine-definition'
import { meansYes, render, renderValue } from '#kernel/templates'
import { expression, expressionFlaws } from '../../../../daemon/features/routines/definitions/expressions.ts'
import { lookAt, risksOf } from '../../../../daemon/features/routines/definitions/rules.ts'
import { transform } from '../../../../daemon/features/routines/definitions/transforms.ts'
import { routines } from '../../../support/routines.ts'

/** All that is wrong with a definition. */
const flawsOf = (given: unknown) => {
  const { flaws, expressions } = lookAt(given)
  return [...flaws, ...expressionFlaws(expressions)]
}
const step = (more: object = {}) => ({ id: 'a', type: 'code', code: { code: '1' }, ...more })
const definition = (more: object = {}) => ({ dsl_version: '1.0', name: 'one', steps: [step()], ...more })

describe('a definition', () => {
  it.each<[string, object, string, RegExp]>([
    ['an unknown member', { stepz: [] }, 'stepz', /did you mean "steps"/],
    [
      'an unknown member of a step',
      { steps: [step({ tiemout_seconds: 1 })] },
      'steps[0].tiemout_seconds',
      /did you mean "timeout_seconds"/,
    ],
    [
      'a secret in code itself',
      { credentials_required: [{ type: 'K' }], steps: [step({ code: { code: '"{{ secrets.K }}"' } })] },
      'steps[0]',
      /may not stand in a step of type code/,
    ],
    [
      'a secret of a variable that is not declared',
      { steps: [step({ code: { code: 'env.K', env: { K: '{{ secrets.K }}' } } })] },
      'steps[0]',
      /credentials_required/,
    ],
    [
      'words of failures that are none',
      { steps: [step({ retry: { max_attempts: 2, retry_on: [] } })] },
      'steps[0].retry.retry_on',
      /./,
    ],
    [
      'an agent where there is to be none',
      { agentless: true, steps: [{ id: 'a', type: 'agent_run', agent_slug: 'ada', prompt: 'x' }] },
      'agentless',
      /the step "a" asks an agent/,
    ],
    [
      'an agent in the hook of a step',
      { steps: [step({ hooks: { before: [{ id: 'b', type: 'agent_run', agent_slug: 'ada', prompt: 'x' }] } })] },
      'steps[0].hooks.before[0].type',
      /must be one of/,
    ],
    [
      'the id of a step in its hook',
      { steps: [step({ hooks: { after: [step()] } })] },
      'steps[0].hooks.after[0].id',
      /another step/,
    ],
    [
      'a hook that cites nothing',
      { steps: [step({ hooks: { after: [step({ id: 'b', if: '{{ steps.z.output }}' })] } })] },
      'steps[0].hooks.after[0]',
      /names no step/,
    ],
    [
      'hooks within a loop',
      {
        steps: [
          {
            id: 'l',
            type: 'foreach',
            foreach: { items: [1], steps: [step({ hooks: { after: [step({ id: 'b' })] } })] },
          },
        ],
      },
      'steps[0].foreach.steps[0].hooks',
      /cannot stand within a loop/,
    ],
    ['grades for what asks no agent', { steps: [step({ complexity: 'fast' })] }, 'steps[0].complexity', /not known/],
    [
      'a model that looks like an option',
      { steps: [{ id: 'a', type: 'agent_run', agent_slug: 'a', prompt: 'x', model_override: '--x' }] },
      'steps[0].model_override',
      /MODEL/,
    ],
    [
      'grades beside a model',
      {
        steps: [
          { id: 'a', type: 'agent_run', agent_slug: 'a', prompt: 'x', model_override: 'm', on_fail: 'escalate_tier' },
        ],
      },
      'steps[0].on_fail',
      /leave out model_override/,
    ],
    [
      'a script outside of the shared folder',
      { steps: [{ id: 'a', type: 'script', script: { path: '/crew/shared/../agents/ada/x.sh' } }] },
      'steps[0].script.path',
      /must be a file below \/crew\/shared/,
    ],
    [
      'a secret in an argument of a script',
      {
        credentials_required: [{ type: 'K' }],
        steps: [{ id: 'a', type: 'script', script: { path: 'x.sh', args: ['{{ secrets.K }}'] } }],
      },
      'steps[0].script.args',
      /use script\.env/,
    ],
    [
      'a variable of a script that is ours',
      { steps: [{ id: 'a', type: 'script', script: { path: 'x.sh', env: { SVC_RUN_ID: 'x' } } }] },
      'steps[0].script.env.SVC_RUN_ID',
      /not SVC_/,
    ],
    ['an unknown type', { steps: [{ id: 'a', type: 'htpp' }] }, 'steps[0].type', /did you mean "http"/],
    ['no steps', { steps: [] }, 'steps', /./],
    ['501 steps', { steps: Array.from({ length: 501 }, (_, n) => step({ id: `s${n}` })) }, 'steps', /./],
    ['an id twice', { steps: [step(), step()] }, 'steps[1].id', /another step/],
    ['needs that are no step', { steps: [step({ needs: ['b'] })] }, 'steps[0].needs', /names no step: "b"/],
    ['a circle', { steps: [step({ needs: ['b'] }), step({ id: 'b', needs: ['a'] })] }, 'steps[0].needs', /circle/],
    ['a condition that cannot be read', { steps: [step({ if: 'inputs.a ==' })] }, 'steps[0].if', /cannot be read/],
    ['code that cannot be read', { steps: [step({ code: { code: '(' } })] }, 'steps[0].code.code', /cannot be read/],
    ['a template of no input', { steps: [step({ if: '{{ inputs.x }}' })] }, 'steps[0]', /names no input/],
    [
      'an argument that cites no variable',
      {
        steps: [{ id: 'a', type: 'script', script: { path: 'a.sh', args: ['{{ env.WROD }}'], env: { WORD: '1' } } }],
      },
      'steps[0].script.args',
      /names no variable of the step/,
    ],
    [
      'an argument that cites a variable with a secret',
      {
        credentials_required: [{ type: 'K' }],
        steps: [
          {
            id: 'a',
            type: 'script',
            script: { path: 'a.sh', args: ['{{ env.KEY }}'], env: { KEY: '{{ secrets.K }}' } },
          },
        ],
      },
      'steps[0].script.args',
      /holds a secret/,
    ],
    ['a template of no step', { steps: [step({ if: '{{ steps.x.output }}' })] }, 'steps[0]', /names no step/],
    ['a template of nothing', { steps: [step({ if: '{{ env.HOME }}' })] }, 'steps[0]', /names nothing/],
    [
      'a secret that is not declared',
      { steps: [{ id: 'a', type: 'http', http: { method: 'GET', url: 'https://a.b/{{ secrets.K }}' } }] },
      'steps[0]',
      /credentials_required/,
    ],
    [
      'a secret in code',
      { credentials_required: [{ type: 'K' }], steps: [step({ if: '{{ secrets.K }}' })] },
      'steps[0]',
      /may not stand in a step of type code/,
    ],
    [
      'a wait without a time',
      { steps: [{ id: 'a', type: 'wait', wait: { kind: 'datetime' } }] },
      'steps[0].wait.until',
      /needs/,
    ],
    [
      'a wait within a loop',
      { steps: [{ id: 'e', type: 'foreach', foreach: { items: [], steps: [{ id: 'a', type: 'wait', wait: {} }] } }] },
      'steps[0].foreach.steps[0].type',
      /must be one of/,
    ],
    [
      'a pattern in a schema',
      { steps: [step({ validation: { schema: { pattern: '(a+)+$' } } })] },
      'steps[0].validation.schema',
      /may not use "pattern"/,
    ],
    [
      'a transform of unknown words',
      { steps: [{ id: 'a', type: 'transform', transform: { input: 1, expression: '. | sort' } }] },
      'steps[0].transform.expression',
      /"sort"/,
    ],
    [
      'a default of another type',
      { inputs: [{ name: 'n', type: 'number', default: 'x' }] },
      'inputs[0].default',
      /type number/,
    ],
    [
      'a URL that is none',
      { steps: [{ id: 'a', type: 'http', http: { method: 'GET', url: 'http://x' } }] },
      'steps[0].http.url',
      /https:\/\//,
    ],
  ])('is refused for %s', (_, more, path, message) => {
    const flaws = flawsOf(definition(more))
    expect(flaws).toContainEqual({ path, message: expect.stringMatching(message) })
  })

  it('is refused with all that is wrong, each with its place', async () => {
    const { call, W } = await routines()
    const bad = definition({ name: 'Bad Name', steps: [step({ bogus: 1 }), { id: '1', type: 'code' }] })
    const { status, body } = await call('MANAGER', 'POST', `${W}/pipelines/test_run`, { definition: bad })
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'routine_invalid', errors: expect.any(Array) })
    const paths = body.errors.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(expect.arrayContaining(['name', 'steps[0].bogus', 'steps[1].id', 'steps[1].code']))
  })

  it('may be YAML, whose errors have lines', async () => {
    const { call, W } = await routines()
    const test = (text: string) => call('MANAGER', 'POST', `${W}/pipelines/test_run`, { definition: text })
    const text = 'dsl_version: "1.0"\nname: one\nsteps:\n  - { id: a, type: code, code: { code: "1" } }\n'
    expect((await test(text)).body).toMatchObject({
      ok: true,
      status: 'DRY_RUN_OK',
      steps: [{ id: 'a', would: 'reckon 1' }],
    })
    expect((await test('a: [\nb')).body.detail).toMatch(/cannot be read at line \d/)
    expect((await test('a: &a [*a]')).status).toBe(422)
  })

  it('is refused when it is nested without end', async () => {
    const { call, W } = await routines()
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const text = (levels: number) =>
      '{"dsl_version":"1.0","name":"one","steps":[{"id":"a","type":"transform","transform":' +
      `{"input":${deep(levels)},"expression":"."}}]}`
    const test = (levels: number) => call('MANAGER', 'POST', `${W}/pipelines/test_run`, { definition: text(levels) })
    expect((await test(50)).status).toBe(200)
    for (const levels of [101, 1000, 100_000]) expect((await test(levels)).status).toBe(422)
    const lines = Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')
    for (const definition of ['- '.repeat(1000), '? '.repeat(100_000), '{a: '.repeat(50_000), lines])
      expect((await call('MANAGER', 'POST', `${W}/pipelines/test_run`, { definition })).body.detail).toBe(
        'A definition is at most 100 levels deep',
      )
  })

  it('waits for approval when it can do harm', () => {
    const http = { id: 'h', type: 'http', http: { method: 'GET', url: 'https://example.com' } }
    const loop = { id: 'l', type: 'foreach', foreach: { items: [], steps: [http] } }
    const of = (more: object) => risksOf(definition(more) as never)
    expect(of({ steps: [{ id: 't', type: 'transform', transform: { input: 1, expression: '.' } }] })).toEqual([])
    expect(of({})).toEqual(['code_step'])
    expect(of({ steps: [loop], egress_targets: ['a.b'], credentials_required: [{ type: 'K' }] })).toEqual([
      'http_step',
      'egress_targets',
      'credentials_required',
    ])
    expect(of({ steps: [], hooks: { on_failure: [http] } })).toEqual(['http_step'])
    const script = { id: 's', type: 'script', script: { path: 'x.sh' } }
    expect(of({ steps: [script] })).toEqual(['code_step', 'script_step'])
  })

  it('has a schema that names every type of step', async () => {
    const { call } = await routines()
    const { status, body } = await call(null, 'GET', '/pipeline-schema')
    expect(status).toBe(200)
    expect(body).toEqual(JSON.parse(JSON.stringify(definitionSchema)))
    expect(body.properties.steps.items.oneOf).toHaveLength(11)
  })
})

describe('the routines that come with Muster', () => {
  const folder = new URL('../../../../templates/routines/', import.meta.url)
  const texts = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
  it('are four', () => expect(texts).toHaveLength(4))
  it.each(texts)('%s is valid', (_, text) => expect(flawsOf(parse(text))).toEqual([]))
})

describe('templates', () => {
  const values = { inputs: { n: 1, list: [{ a: 'x' }], text: '{{ inputs.n }}' }, steps: {} }
  it.each([
    ['{{ inputs.n }}', '1'],
    ['{{inputs.list[0].a}}-{{ inputs.absent }}-', 'x--'],
    ['{{ inputs.list }}', '[{"a":"x"}]'],
    ['{{ inputs.text }}', '{{ inputs.n }}'],
    ['{{ inputs.__proto__ }}{{ inputs.constructor.name }}', ''],
  ])('%s is %s', (text, expected) => expect(render(text, values)).toBe(expected))

  it('that stand alone are the value itself', () => {
    expect(
      renderValue({ a: '{{ inputs.list }}', b: ['{{ inputs.n }}', 'n={{ inputs.n }}'], c: '{{ inputs.no }}' }, values),
    ).toEqual({
      a: [{ a: 'x' }],
      b: [1, 'n=1'],
      c: null,
    })
  })

  it.each(['', ' ', 'false', '0', 'null', 'nil', 'No', 'OFF'])('"%s" means no', (text) =>
    expect(meansYes(text)).toBe(false),
  )
  it.each(['true', '1', 'yes', 'x'])('"%s" means yes', (text) => expect(meansYes(text)).toBe(true))
})

describe('transforms', () => {
  it.each<[string, unknown, unknown]>([
    ['.', 5, 5],
    ['.a[1].b', { a: [0, { b: 'x' }] }, 'x'],
    ['.a.missing', { a: 1 }, null],
    ['. | length', 'äöü', 3],
    ['.a | length', { a: [1, 2] }, 2],
    ['. | keys', { b: 1, a: 2 }, ['a', 'b']],
    ['. | tostring', [1], '[1]'],
    ['.a | @json', { a: 'x' }, '"x"'],
  ])('%s of %j is %j', (text, given, expected) => expect(transform(text)(given)).toEqual(expected))
})

describe('expressions', () => {
  it('end when they are too much work', () => {
    const values = { inputs: { list: Array.from({ length: 1000 }, (_, n) => n), text: 'a'.repeat(100_000) } }
    const deep = 'inputs.list.map(a, inputs.list.map(b, inputs.list.map(c, a + b + c)))'
    expect(() => expression(deep)(values)).toThrow('takes too long')
    expect(() => expression('inputs.list.exists(x, inputs.text.matches("b$"))')(values)).toThrow('takes too long')
    expect(expression('inputs.text.matches("^(a+)+$")')(values)).toBe(true)
    expect(() => expression(`[${Array.from({ length: 30 }, () => 'inputs.text').join(', ')}]`)(values)).toThrow(
      'larger than',
    )
  })

  it.each([
    ['loops within each other', 'inputs.list.all(a, inputs.list.all(b, a + b >= 0.0))'],
    ['loops that look through lists', 'inputs.list.all(a, !(-1.0 in inputs.list))'],
    ['loops that compare lists', 'inputs.list.all(a, inputs.list == inputs.same)'],
    ['loops that look through texts', 'inputs.list.all(a, !inputs.text.contains("ba"))'],
    ['loops that measure texts', 'inputs.list.all(a, size(inputs.text) > 0)'],
    ['loops that join texts', 'inputs.list.all(a, inputs.text + inputs.text != "")'],
    ['loops over names', 'inputs.texts.all(a, inputs.texts.all(b, !a.contains("ba")))'],
    ['loops whose errors nobody minds', 'inputs.list.all(a, inputs.text.contains("ba") || true) || true'],
    ['long rows of looking through texts', Array(1000).fill('inputs.text.contains("ba")').join(' || ')],
    ['patterns of many parts', 'inputs.text.matches("(a|aa|aaa){1,50}b") && inputs.other.matches("(a|aa|aaa){1,50}b")'],
  ])('end when they are too much work: %s', (_, text) => {
    const list = Array.from({ length: 5000 }, (_, n) => n)
    const long = `${'a'.repeat(500_000)}b`
    const texts = [long, ...Array.from({ length: 200 }, () => 'a')]
    const values = { inputs: { list, same: [...list], text: long, other: long, texts } }
    const since = performance.now()
    expect(() => expression(text)(values)).toThrow('takes too long')
    // A tenth of a second is usual; without the count these take from seconds to hours.
    expect(performance.now() - since).toBeLessThan(5000)
  })

  it('read large objects once', () => {
    const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, { n }]))
    expect(expression('inputs.all(k, inputs[k].n >= 0.0)')({ inputs: members })).toBe(true)
    expect(expression('inputs.k7')({ inputs: members })).toEqual({ n: 7 })
    expect(expression('size(inputs) == 20000 && !has(inputs.x) && has(inputs.k1.n)')({ inputs: members })).toBe(true)
  })

  it.each([
    ['in a row', `1${' + 1'.repeat(1000)}`],
    ['of calls', `[1]${'.map(x, x)'.repeat(500)}`],
    ['of choices', `${'a ? 1 : '.repeat(8000)}1`],
    ['of members', `a${'.a'.repeat(30_000)}`],
    ['of brackets', `${'('.repeat(30_000)}1${')'.repeat(30_000)}`],
  ])('are refused when they are nested too deep: %s', (_, text) => {
    expect(flawsOf(definition({ steps: [step({ code: { code: text } })] }))).toMatchObject([
      { path: 'steps[0].code.code', message: expect.stringMatching(/cannot be read: .*too deep/) },
    ])
  })

  it('have at most 1 MiB in one code step', () => {
    const flawsWith = (code: string) => lookAt(definition({ steps: [step({ code: { code } })] })).flaws
    expect(flawsWith('x'.repeat(1_048_576))).toEqual([])
    expect(flawsWith('é'.repeat(524_288))).toEqual([])
    expect(flawsWith('x'.repeat(1_048_577))).toEqual([
      { path: 'steps[0].code.code', message: expect.stringMatching(/1048576/) },
    ])
    expect(flawsWith(`${'é'.repeat(524_288)}x`)).toEqual([
      { path: 'steps[0].code.code', message: 'has more than 1 MiB' },
    ])
  })

  it('see nothing but what they are given', () => {
    expect(() => expression('process.env')({})).toThrow()
    expect(() => expression('inputs.constructor')({ inputs: {} })).toThrow()
  })
})
