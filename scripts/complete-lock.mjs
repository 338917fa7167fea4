// Adds to package-lock.json the optional packages for other platforms that a partial registry mirror could not name.
// Without
// them `npm ci` refuses the lock file, although it would not install them here. Run it after any change of
// dependencies.
import { readFileSync, writeFileSync } from 'node:fs'

const file = process.argv[2] ?? new URL('../package-lock.json', import.meta.url).pathname
const lock = JSON.parse(readFileSync(file, 'utf8'))
const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const processors = ['arm64', 'arm', 'ia32', 'x64', 'ppc64', 's390x', 'riscv64', 'wasm32']

const within = (name, words) => words.filter((word) => name.split(/[-/]/).includes(word))
const isThere = (name, from) => {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true
    if (!at) return false
    if (!at.includes('/node_modules/')) at = ''
    if (at === '') return Boolean(lock.packages[`node_modules/${name}`])
  }
}

let added = 0
for (const [path, { optionalDependencies = {}, dev, devOptional }] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (!/^\d/.test(version) || isThere(name, path)) continue
    const [os, cpu] = [within(name, systems), within(name, processors)]
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(cpu.length && { cpu }),
      ...((dev || devOptional) && { dev: true }),
      optional: true,
      ...(os.length && { os }),
    }
    added++
  }
}
const sorted = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify({ ...lock, packages: sorted }, null, 2)}\n`)
process.stdout.write(`${added} packages for other platforms added\n`)
