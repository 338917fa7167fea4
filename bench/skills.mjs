// Row: import of 500 skills from a git repository on this machine, against what git itself takes to clone it.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { median, report, scratch } from './measure.mjs'
import { load, root } from './support.mjs'

const { createApp, createInlineReads, createLog, loadConfig, migrate, openDatabase, readMigrations, bulkImport } =
  await load(
    'daemon/kernel/app.ts',
    'daemon/kernel/config.ts',
    'daemon/kernel/log.ts',
    'daemon/kernel/store/db.ts',
    'daemon/kernel/store/reads.ts',
    'daemon/features/skills/bulk/service.ts',
  )

const workspace = 'cworkspace000000000000000'
const now = '2026-01-01T00:00:00Z'
const [skills, rounds] = [500, 5]

/** A repository of skills of some 4 KiB, each with a script and a text. */
function repository(folder) {
  for (let n = 0; n < skills; n++) {
    const at = join(folder, 'skills', `skill-${n}`)
    mkdirSync(join(at, 'scripts'), { recursive: true })
    const head = `---\nname: skill-${n}\ndescription: Does ${n}. Use when somebody asks for ${n}.\nlicense: MIT\n---\n`
    writeFileSync(join(at, 'SKILL.md'), `${head}\n${`Do step ${n} and look at what it says.\n`.repeat(100)}`)
    writeFileSync(join(at, 'scripts/run.sh'), `#!/bin/sh\necho ${n}\n`)
    writeFileSync(join(at, 'notes.md'), `Notes of ${n}.\n`.repeat(50))
  }
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: folder })
  git('init', '-q', '-b', 'main')
  git('config', 'uploadpack.allowFilter', 'true')
  git('add', '-A')
  git('commit', '-q', '-m', 'x')
}

/** Git's own server over HTTP. */
async function serve(folder) {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://x')
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: pathname.replace('/repo', '/.git'),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
    })
    request.pipe(child.stdin)
    const pieces = []
    child.stdout.on('data', (piece) => pieces.push(piece))
    child.on('close', () => {
      const all = Buffer.concat(pieces)
      const at = all.indexOf('\r\n\r\n')
      const type = /^content-type: (.*)$/im.exec(all.toString('latin1', 0, at))?.[1] ?? 'text/plain'
      response.writeHead(200, { 'content-type': type.trim() }).end(all.subarray(at + 4))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${server.address().port}` }
}

function place(dir) {
  const db = openDatabase(join(dir, 'muster.db'))
  migrate(db, readMigrations(join(root, 'daemon/migrations')), now)
  db.prepare("INSERT INTO workspaces (id, name, slug, created_at, updated_at) VALUES (?, 'x', 'x', ?, ?)").run(
    workspace,
    now,
    now,
  )
  const env = { SVC_ENV: 'test', SVC_DATA_DIR: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' }
  const log = createLog({ level: 'error', format: 'text' })
  return {
    db,
    app: createApp({ config: loadConfig({ env }).config, db, log, vault: null, reads: createInlineReads(db) }),
  }
}

await scratch(async (dir) => {
  const folder = join(dir, 'repo')
  mkdirSync(folder)
  repository(folder)
  const { server, url } = await serve(folder)
  const times = { clone: [], read: [], store: [] }
  let stalled = 0
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    await new Promise((resolve, reject) =>
      spawn('git', ['clone', '-q', '--depth', '1', `${url}/repo`, join(dir, 'clone')])
        .on('error', reject)
        .on('close', resolve),
    )
    times.clone.push(performance.now() - began)
    rmSync(join(dir, 'clone'), { recursive: true })
    const data = join(dir, `data-${round}`)
    mkdirSync(data)
    const { db, app } = place(data)
    const { outbound } = app
    const host = 'https://git.example'
    app.outbound = {
      ...outbound,
      async send(address, request) {
        const reply = await outbound.send(address.replace(host, url), { ...request, operator: true })
        return Object.assign(Object.create(reply), { url: reply.url.replace(url, host) })
      },
    }
    const { prepare, commit } = bulkImport(app)
    const call = {
      actor: { type: 'user', id: 'u', email: 'x@example.com', role: 'OWNER', workspace },
      body: { git_url: `${host}/repo` },
      now,
    }
    const from = performance.now()
    const ready = await prepare(call)
    const read = performance.now()
    const { total_imported, skipped } = app.writeNow(() => commit(call, ready))
    const done = performance.now()
    if (total_imported !== skills) throw new Error(`${total_imported} were imported; ${skipped[0]?.reason}`)
    times.read.push(read - from)
    times.store.push(done - read)
    stalled = Math.max(stalled, done - read)
    await outbound.close()
    db.close()
  }
  server.close()
  const ours = median(times.read) + median(times.store)
  const ratio = ours / median(times.clone)
  report({
    row: `bulk import of ${skills} skills`,
    ours:
      `${ours.toFixed(0)} ms (${median(times.read).toFixed(0)} ms to read, ` +
      `${median(times.store).toFixed(0)} ms to store)`,
    limit: `${median(times.clone).toFixed(0)} ms of git clone --depth 1`,
    ratio,
    target: '<= 3x',
    met: ratio <= 3,
    method:
      `${skills} skills of three files in one repository, served by git on loopback; median of ${rounds} rounds; ` +
      `read, unpacked, looked through and stored with a journal entry each; the longest that others waited for the ` +
      `change was ${stalled.toFixed(0)} ms`,
  })
})
