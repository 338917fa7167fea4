import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const clis = JSON.parse(read('templates/containers/clis.json')) as {
  name: string
  package: string
  version: string
  program: string
}[]

describe('templates/containers', () => {
  const dockerfile = read('templates/containers/Dockerfile')

  it.each(clis)(
    '$name is a layer of its own, at the version that is tested',
    ({ name, package: from, version, program }) => {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/)
      expect(program).toMatch(/^[a-z]+$/)
      const argument = `${name.toUpperCase()}_VERSION`
      expect(dockerfile).toContain(`RUN [ -z "$${argument}" ] || npm install -g "${from}@$${argument}" && `)
      const [, fallback] = new RegExp(`^ARG ${argument}=(.*)$`, 'm').exec(dockerfile) ?? []
      expect(fallback).toBe(name === 'claude' ? version : '')
    },
  )

  it('has what a crew container needs, as the script that builds without a registry has it', () => {
    const script = read('scripts/build-images.sh')
    const packages = [...script.matchAll(/^packages\+?=,?(.*)$/gm)].map(([, names]) => names).join(',')
    for (const name of [
      'bash',
      'ca-certificates',
      'curl',
      'git',
      'jq',
      'less',
      'openssh-client',
      'procps',
      'ripgrep',
      'unzip',
      'xz-utils',
    ]) {
      expect(packages!.split(','), name).toContain(name)
      expect(dockerfile.split(/\s+/), name).toContain(name)
    }
    for (const name of ['ca-certificates', 'iptables', 'util-linux']) {
      expect(packages!.split(','), name).toContain(name)
      expect(read('templates/containers/sidecar.Dockerfile').split(/\s+/), name).toContain(name)
    }
  })
})
