import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addPerson, type Person } from '#test'
import { openWaitpoint } from '../../daemon/features/waitpoints/service.ts'
import { knownPassword, quickHash } from '../support/browser.ts'
import { chromiumMissing, realBrowser } from '../support/chromium.ts'
import { leaveOut } from '../support/leave-out.ts'
import { workplace } from '../support/runs.ts'
import { server as loopback } from '../support/server.ts'

// The page that messages of approvals, escalations and questions lead to, in a real browser.

leaveOut(chromiumMissing)
const open = realBrowser()
const foreign = realBrowser({ violations: false })

const hostile = '<img src=x onerror=alert(1)> [click](javascript:alert(1)) \u202eevil'

async function setUp(look = {}) {
  const it = await workplace()
  const { app, workspace } = it
  const at = it.base
  const known = (person: Person) => {
    app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, person.userId)
    return person
  }
  const linkTo = (decision: string) => `/decide?workspace=${workspace}&decision=${decision}`
  const waitpoint = (prompt = `Deploy? ${hostile}`) =>
    app.writeNow(() => openWaitpoint(app, { workspace, kind: 'approval', prompt, now: app.now() })).id
  const token = { 'x-internal-token': app.internalTokens.ofCrew(workspace, it.crewId) }
  const escalation = async () => {
    const body = { workspace_id: workspace, crew_id: it.crewId, from_slug: 'ada', reason: 'Which colour?' }
    return (await it.call(null, 'POST', '/internal/escalations', body, token)).body.escalation_id as string
  }
  const outcome = (id: string) =>
    app.db.prepare('SELECT state, outcome, settled_by_user_id FROM decisions WHERE id = ?').get(id)
  const page = await open({ at, ...look })
  return { it, at, page, linkTo, waitpoint, escalation, outcome, admin: known(it.person('ADMIN')), known }
}

async function signIn(page: Page, { email }: Pick<Person, 'email'>) {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(knownPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).waitFor()

describe.skipIf(chromiumMissing)('the page to decide on', () => {
  it('asks who one is, shows the card as text on a phone, and decides with a tap', async () => {
    const { at, page, linkTo, waitpoint, outcome, admin } = await setUp({ width: 360, height: 700 })
    const id = waitpoint()
    await page.goto(linkTo(id))
    await page.waitForURL(`${at}/login?callbackUrl=*`)
    await signIn(page, admin)
    await page.waitForURL(`${at}${linkTo(id)}`)
    await heading(page, /Deploy\?/)
    const shown = await page.locator('#card').textContent()
    expect(shown).toContain('<img src=x onerror=alert(1)>')
    expect(shown).not.toContain('\u202e')
    expect(await page.locator('main img, main a').count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(outcome(id)).toMatchObject({ state: 'open' })

    await page.getByRole('button', { name: 'Approve' }).click()
    await heading(page, 'This is decided')
    await page.getByRole('status').getByText('Done: Approve.').waitFor()
    expect(outcome(id)).toMatchObject({ state: 'decided', outcome: 'approved', settled_by_user_id: admin.userId })
    await page.reload()
    await heading(page, 'This is decided')
    expect(await page.getByRole('button').count()).toBe(0)
  })

  it('takes an answer in words, and does not go on without one', async () => {
    const { page, linkTo, escalation, outcome, admin } = await setUp()
    const id = await escalation()
    await page.goto(linkTo(id))
    await signIn(page, admin)
    await heading(page, 'Which colour?')
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('alert').getByText('"Answer" needs your words').waitFor()
    expect(outcome(id)).toMatchObject({ state: 'open' })
    await page.getByLabel('Your words').fill('Green.')
    await page.getByRole('button', { name: 'Answer' }).click()
    await heading(page, 'This is decided')
    expect(outcome(id)).toMatchObject({ state: 'decided' })
  })

  it('says the same to whom it is not for as of what is not there', async () => {
    const { it: server, page, linkTo, waitpoint, known, outcome } = await setUp()
    const id = waitpoint()
    const viewer = known(server.app.writeNow(() => addPerson(server.app, 'VIEWER', server.workspace)))
    const stranger = known(server.stranger())
    const seen: string[] = []
    await page.goto('/login')
    for (const person of [viewer, stranger]) {
      await signIn(page, person)
      await page.getByText('Signed in as').waitFor()
      for (const path of [linkTo(id), linkTo('cnone'), '/decide?workspace=wnone&decision=cnone', '/decide']) {
        await page.goto(path)
        await heading(page, 'There is nothing to decide here')
        seen.push(String(await page.locator('main section:visible').textContent()).replace(person.email, 'you'))
      }
      await page.context().clearCookies()
      await page.goto('/login')
    }
    expect(new Set(seen).size).toBe(1)
    expect(outcome(id)).toMatchObject({ state: 'open' })
  })

  it('is framed by no other page, and no other page decides for who is signed in', async () => {
    const { it: server, at, linkTo, waitpoint, outcome, admin } = await setUp()
    const id = waitpoint()
    const page = await foreign({ at })
    await page.goto('/login')
    await signIn(page, admin)
    await page.getByText('Signed in as').waitFor()
    const decide = `${at}/api/v1/workspaces/${server.workspace}/pipelines/waitpoints/${id}/approve`
    const trap = await loopback((_, response) =>
      response.setHeader('content-type', 'text/html').end(`<iframe src="${at}${linkTo(id)}"></iframe>
        <form method="post" enctype="text/plain" action="${decide}">
          <input name='{"approved":true,"comment":"' value='"}'></form>`),
    )
    await page.goto(trap.url)
    expect(await page.frameLocator('iframe').locator('#card').count()).toBe(0)
    const answer = await page.evaluate(
      `fetch('${decide}', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"approved":true}' })
        .then((it) => it.type)`,
    )
    expect(answer).toBe('opaque')
    const [reply] = await Promise.all([
      page.waitForResponse(decide),
      page.evaluate('document.querySelector("form").submit()'),
    ])
    expect(reply.status()).toBe(403)
    expect(outcome(id)).toMatchObject({ state: 'open' })
  })
})
