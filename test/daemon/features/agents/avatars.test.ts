import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { checkSvg } from '../../../../daemon/features/agents/avatars/svg.ts'

const xmlns = 'xmlns="http://www.w3.org/2000/svg"'
const svg = `<svg ${xmlns} viewBox="0 0 4 4"><circle cx="2" cy="2" r="1" fill="#f00"/></svg>`

async function place() {
  const it = await daemon()
  const { id } = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada' })).body
  const path = `/agents/${id}/avatar`
  const urlOf = async () => (await it.call('VIEWER', 'GET', `/agents/${id}`)).body.avatar_url
  return { it, id, path, urlOf }
}

describe('the picture of an agent', () => {
  it('is kept once, shown by an address of its own, and removed', async () => {
    const { it, id, path, urlOf } = await place()
    expect(await urlOf()).toBeNull()
    expect((await it.call('VIEWER', 'GET', path)).status).toBe(404)
    expect((await it.call('OWNER', 'DELETE', path)).status).toBe(404)
    const url = `/api/v1${path}?v=${hash('sha256', svg).slice(0, 16)}&workspace_id=${it.workspace}`
    expect((await it.call('OWNER', 'PUT', path, { svg })).body).toEqual({ avatar_url: url })
    expect(await urlOf()).toBe(url)
    expect((await it.call('VIEWER', 'GET', '/agents')).body[0].avatar_url).toBe(url)
    expect((await it.call('OWNER', 'PUT', path, { svg })).body).toMatchObject({ status: 409, code: 'avatar_kept' })
    const shown = await it.call({ ...it.person('VIEWER'), workspace: '' }, 'GET', url.replace('/api/v1', ''))
    expect([shown.status, shown.text]).toEqual([200, svg])
    expect(shown.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=31536000, immutable',
    })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_updated',
      agent_id: id,
      summary: expect.stringMatching(/^Agent Ada was changed by /),
      payload: { entity_type: 'agent', entity_id: id, metadata: { changed: ['avatar'] } },
    })
    expect((await it.call('OWNER', 'DELETE', path)).status).toBe(204)
    expect(await urlOf()).toBeNull()
  })

  it.each([{ avatar_seed: 'other' }, { avatar_style: 'pixel' }])('goes with a change of %j', async (change) => {
    const { it, id, path, urlOf } = await place()
    await it.call('OWNER', 'PUT', path, { svg })
    await it.call('OWNER', 'PATCH', `/agents/${id}`, { description: 'x' })
    expect(await urlOf()).not.toBeNull()
    await it.call('OWNER', 'PATCH', `/agents/${id}`, change)
    expect(await urlOf()).toBeNull()
  })

  it('is changed by who may change the agent', async () => {
    const { it, path } = await place()
    expect((await it.call('MEMBER', 'PUT', path, { svg })).body.code).toBe('insufficient_role')
    expect((await it.call('MANAGER', 'PUT', path, { svg })).body.code).toBe('insufficient_role')
    expect((await it.call({ ...it.person('ADMIN'), workspace: '' }, 'PUT', path, { svg })).status).toBe(200)
    expect((await it.call('MANAGER', 'DELETE', path)).body.code).toBe('insufficient_role')
  })

  it('is refused when it is more than a picture', async () => {
    const { it, path, urlOf } = await place()
    const { status, body } = await it.call('OWNER', 'PUT', path, { svg: `<svg ${xmlns}><script/></svg>` })
    expect([status, body.code, body.field]).toEqual([400, 'invalid_field', 'svg'])
    expect(await urlOf()).toBeNull()
  })
})

const inside = (text: string) => `<svg ${xmlns}>${text}</svg>`

/** Each group draws the one before ten times. */
const tenfold = (levels: number) => {
  const group = (n: number) => `<g id="g${n}">${`<use href="#g${n - 1}"/>`.repeat(10)}</g>`
  return inside(`<g id="g0"/>${Array.from({ length: levels }, (_, n) => group(n + 1)).join('')}`)
}
const chain = (links: number) =>
  inside(Array.from({ length: links }, (_, n) => `<use id="u${n}" href="#u${n + 1}"/>`).join(''))

describe('checkSvg', () => {
  it.each([
    [svg],
    [` ${inside('')}\n`],
    [inside('<title>A &amp; B</title>')],
    [inside('<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><rect fill="url(#a)"/>')],
    [inside("<g mask='url(#m)'><use href='#m'/></g>")],
    [inside('<path id="p"/><g id="g"><use href="#p"/><use href="#p"/></g><use href="#g"/>')],
    [tenfold(3)],
    [chain(100)],
    [inside('<g/>'.repeat(10_000))],
    [
      inside(
        '<metadata xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
          '<rdf:RDF><dc:title>Faces</dc:title></rdf:RDF></metadata>',
      ),
    ],
  ])('takes %s', (text) => expect(() => checkSvg(text)).not.toThrow())

  it.each([
    [''],
    ['   '],
    ['words'],
    ['<svg'],
    [`<svg ${xmlns}>`],
    [`${svg}${svg}`],
    [`${svg} words`],
    ['<g/>'],
    [inside('<g></svg></g>')],
    [inside('<script>alert(1)</script>')],
    [inside('<svg:script/>')],
    [inside('<style>*{}</style>')],
    [inside('<foreignObject/>')],
    [inside('<image href="#a"/>')],
    [inside('<a href="#a"/>')],
    [inside('<animate attributeName="href"/>')],
    [inside('<g onload="alert(1)"/>')],
    [inside('<g style="fill:red"/>')],
    [inside('<use href="https://elsewhere.example/#a"/>')],
    [inside('<use xlink:href="data:image/svg+xml,x"/>')],
    [inside('<rect fill="url(https://elsewhere.example/)"/>')],
    [inside('<rect fill="url(#a) url(//elsewhere.example)"/>')],
    [inside('<rect fill="u\\72l(//elsewhere.example)"/>')],
    [inside('<rect mask="image-set(&quot;//elsewhere.example&quot; 1x)"/>')],
    [inside('<rect mask="src(&quot;//elsewhere.example&quot;)"/>')],
    [inside('<rect fill="&#106;avascript:x"/>')],
    [inside('&evil;')],
    [inside('<!-- x -->')],
    [inside('<![CDATA[<script/>]]>')],
    [inside('<?xml-stylesheet href="x"?>')],
    [`<!DOCTYPE svg [<!ENTITY a "b">]>${svg}`],
    ['<svg xmlns="http://www.w3.org/1999/xhtml"/>'],
    [`<svg ${xmlns} xmlns:rdf="http://www.w3.org/2000/svg"><rdf:script>alert(1)</rdf:script></svg>`],
    [`<svg ${xmlns} xmlns:x="http://www.w3.org/2000/svg"/>`],
    [inside('x'.repeat(65_536))],
    [tenfold(5)],
    [tenfold(40)],
    [chain(2000)],
    [inside('<g>'.repeat(9000) + '</g>'.repeat(9000))],
    [inside('<g id="a"><use href="#a"/></g>')],
    [inside('<g id="a"><use xlink:href="#b"/></g><g id="b"><use href="#a"/></g>')],
    [inside(`<pattern id="p"><rect fill="url(#p)"/></pattern>`)],
    [tenfold(5).replaceAll(/<use href="(#g\d)"\/>/g, '<g mask="url( $1 )"/>')],
  ])('refuses %.90s', (text) => expect(() => checkSvg(text)).toThrow(/^svg/))

  it('looks at every letter once', () => {
    const began = performance.now()
    for (const text of ['<svg ' + 'a '.repeat(30_000), inside('<g '.repeat(20_000)), inside('<'.repeat(60_000))])
      expect(() => checkSvg(text)).toThrow()
    expect(performance.now() - began).toBeLessThan(1000)
  })
})
