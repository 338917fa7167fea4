import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { daemon } from '#test'
import { issueTemplate } from '../../../cli/issues/template.ts'
import { type Cli, cliFor } from '../../support/cli.ts'

const editor = (script: string) => ({ EDITOR: `sh -c '${script}' sh` })

async function place(variables: Record<string, string> = {}) {
  const it = await daemon()
  const crew = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
  const path = `/crews/${crew}/issues`
  await it.call('OWNER', 'POST', path, { title: 'First', description: 'One\n\nTwo' })
  const read = async (identifier = 'WEB-1') => (await it.call('OWNER', 'GET', `/issues/${identifier}`)).body
  return { ...it, path, read, muster: await cliFor(it, 'MANAGER', variables) }
}

describe('muster issues edit', () => {
  const edit = (muster: Cli) => muster.terminal(['issues', 'edit', 'web-1'], { cols: 300 })

  it('sends what the editor leaves', async () => {
    const it = await place(editor('cat "$1" > "$HOME/seen"; printf "Second\\n\\nThree\\n" > "$1"'))
    const shown = edit(it.muster)
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('Changed issue WEB-1.')
    expect(readFileSync(join(it.muster.home, 'seen'), 'utf8')).toBe('First\n\nOne\n\nTwo\n')
    expect(await it.read()).toMatchObject({ title: 'Second', description: 'Three' })
  })

  it('sends nothing when nothing was changed, the editor fails, or there is no terminal', async () => {
    const it = await place(editor('printf "\\n" >> "$1"'))
    const before = await it.read()
    const shown = edit(it.muster)
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('You changed nothing.')
    expect((await it.muster.run('issues', 'edit', 'WEB-1')).stderr).toContain('An editor needs a terminal.')
    const failing = await cliFor(it, 'MANAGER', editor('echo x > "$1"; exit 3'))
    expect(await edit(failing).ended).not.toBe(0)
    expect(await it.read()).toEqual(before)
  })

  it.each([
    ['somebody else was faster', 'Mine', 'WEB-1 was changed while you edited it'],
    ['the title is empty', '', 'The first line, which is the title, is empty.'],
  ])('keeps the text when %s', async (_, left, says) => {
    // The editor begins when the text was read, and ends when it is told to.
    const script = `: > "$HOME/began"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; printf "${left}" > "$1"`
    const it = await place(editor(script))
    const shown = edit(it.muster)
    await vi.waitFor(() => expect(existsSync(join(it.muster.home, 'began'))).toBe(true), { timeout: 30_000 })
    await it.call('OWNER', 'PATCH', `${it.path}/WEB-1`, { title: 'Theirs' })
    writeFileSync(join(it.muster.home, 'go'), '')
    expect(await shown.ended).toBe(2)
    expect(shown.text()).toContain(says)
    const kept = /Your draft is kept in (\S+)\./.exec(shown.text())![1]!
    expect(readFileSync(kept, 'utf8')).toBe(left)
    rmSync(dirname(kept), { recursive: true })
    expect(await it.read()).toMatchObject({ title: 'Theirs', description: 'One\n\nTwo' })
  })
})

describe('muster issues create', () => {
  it('takes title and description from standard input or a file', async () => {
    const it = await place()
    const made = await it.muster.pipe('From a pipe\n\n# Why\n', 'issues', 'create', '--crew', 'web', '--file', '-')
    expect(made).toMatchObject({ code: 0, stdout: 'WEB-2\n' })
    expect(await it.read('WEB-2')).toMatchObject({ title: 'From a pipe', description: '# Why' })
    const empty = await it.muster.pipe('\n', 'issues', 'create', '--crew', 'web', '--file', '-')
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('The issue has no title.') })
    const dash = await it.muster.pipe('Of a dash\n\nWhy\n', 'issues', 'create', '-', '--crew', 'web')
    expect(dash).toMatchObject({ code: 0, stdout: 'WEB-3\n' })
    expect(await it.read('WEB-3')).toMatchObject({ title: 'Of a dash', description: 'Why' })
    const twice = await it.muster.pipe('x', 'issues', 'create', '-', '--crew', 'web', '--description', 'y')
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('holds the description too') })
    const both = await it.muster.pipe('x', 'issues', 'create', 'Title', '--crew', 'web', '--file', '-')
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('The title stands in the file') })
  })

  it('wants a title where there is no terminal, and opens an editor where there is one', async () => {
    const it = await place(editor('printf "Typed\\n\\nText\\n" > "$1"'))
    expect((await it.muster.run('issues', 'create', '--crew', 'web')).stderr).toContain('The issue has no title.')
    expect(await it.muster.terminal(['issues', 'create', '--crew', 'web']).ended).toBe(0)
    expect(await it.read('WEB-2')).toMatchObject({ title: 'Typed', description: 'Text' })
  })

  it('begins with a template of the project', async () => {
    const it = await place()
    await it.call('OWNER', 'POST', '/labels', { name: 'bug', color: '#123' })
    const folder = join(it.muster.home, '.github', 'ISSUE_TEMPLATE')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'bug.md'), '---\nname: Bug\nlabels: bug\n---\n# Steps\n')
    const at = join(it.muster.home, 'src')
    mkdirSync(at)
    expect(issueTemplate('bug.md', at)).toEqual({ title: '', labels: ['bug'], description: '# Steps' })
    expect(() => issueTemplate('none', at)).toThrow('There is no issue template "none"; there are bug.')
  })
})

describe('muster issues view', () => {
  it('shows description, comments and activity, in which nothing acts on the terminal', async () => {
    const it = await place()
    const project = (await it.call('OWNER', 'POST', '/projects', { name: 'Relaunch' })).body.id
    const milestone = (await it.call('OWNER', 'POST', `/projects/${project}/milestones`, { name: 'Beta' })).body.id
    await it.call('OWNER', 'PATCH', `${it.path}/WEB-1`, { milestone_id: milestone, status: 'TODO' })
    await it.call('OWNER', 'POST', `${it.path}/WEB-1/comments`, { body: '- **yes** \u001b]0;evil\u0007' })
    const { stdout, code } = await it.muster.run('issues', 'view', 'web-1')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^WEB-1 {2}First\ntodo · by nobody · Relaunch \/ Beta · opened by /)
    expect(stdout).toMatch(/\n\nOne\n\nTwo\n\nComments\nThe OWNER {2}.*\n {2}• yes/)
    expect(stdout).toMatch(/\n\nActivity\n[\s\S]*status changed {2}BACKLOG → TODO {2}The OWNER/)
    expect(stdout).not.toContain('\u001b')
    const { comments, milestone_name } = JSON.parse((await it.muster.run('issues', 'view', 'WEB-1', '--json')).stdout)
    expect([comments.length, milestone_name]).toEqual([1, 'Beta'])
    expect((await it.muster.run('issues', 'show', 'WEB-1')).stdout).toContain('Beta')
    expect((await it.muster.run('issues', 'view', 'WEB-9')).code).toBe(3)
  })
})

it('a comment may begin with a mention, and be read from a file or standard input', async () => {
  const it = await place()
  const file = join(it.muster.home, 'note.md')
  writeFileSync(file, 'From a file')
  const said = ['@ada, what do you think?', '@ada. And you?', `@${file}`]
  for (const text of said) expect((await it.muster.run('issues', 'comment', 'WEB-1', text)).code).toBe(0)
  expect((await it.muster.pipe('Piped', 'issues', 'comment', 'WEB-1', '-')).code).toBe(0)
  expect((await it.muster.run('issues', 'comment', 'WEB-1', '@none.md')).stderr).toContain('none.md cannot be read')
  await it.call('OWNER', 'PATCH', `${it.path}/WEB-1`, { status: 'IN_PROGRESS' })
  await it.call('OWNER', 'PATCH', `${it.path}/WEB-1`, { status: 'REVIEW' })
  const reviewed = await it.muster.pipe('Well done', 'issues', 'review', 'WEB-1', '--approve', '-m', '-')
  expect(reviewed.code).toBe(0)
  const comments = (await it.call('OWNER', 'GET', `${it.path}/WEB-1/comments`)).body
  expect(comments.map(({ body }: { body: string }) => body)).toEqual([
    '@ada, what do you think?',
    '@ada. And you?',
    'From a file',
    'Piped',
    'Well done',
  ])
})

it('filters of issues are saved as aliases', async () => {
  const it = await place()
  await it.call('OWNER', 'PATCH', `${it.path}/WEB-1`, { status: 'TODO' })
  const set = await it.muster.run('alias', 'set', 'mine', 'issues list --crew web --status TODO,REVIEW --sort priority')
  expect(set.code).toBe(0)
  expect((await it.muster.run('mine', '-o', 'name')).stdout).toBe('WEB-1\n')
  await it.muster.run('alias', 'set', 'of', 'issues list --assignee $1 --status TODO')
  expect((await it.muster.run('of', it.person('MEMBER').email)).stdout).toBe('')
})

it('a shell completes issues, statuses and what belongs to them', async () => {
  const it = await place()
  await it.call('OWNER', 'POST', it.path, { title: 'Second' })
  await it.call('OWNER', 'POST', '/triage-rules', { name: 'crashes', pattern: 'x', match_type: 'exact' })
  const offers = async (...words: string[]) => (await it.muster.run('__complete', ...words)).stdout
  expect(await offers('issues', 'start', 'WE')).toBe('WEB-2\tSecond\nWEB-1\tFirst\n')
  expect(await offers('issues', 'relate', 'WEB-1', '')).toContain('WEB-2\t')
  expect(await offers('issues', 'create', 'x', '--parent', '')).toContain('WEB-2\t')
  expect(await offers('issues', 'list', '--status', 'TODO,RE')).toBe('TODO,REVIEW\t\n')
  expect(await offers('workflows', 'show', 'St')).toMatch(/^Standard\t/)
  expect(await offers('plans', 'show', 'seq')).toMatch(/^sequential\t/)
  expect(await offers('triage', 'update', 'c')).toBe('crashes\tx\n')
  expect(await offers('issues', 'create', '--template', '')).toBe('')
})
