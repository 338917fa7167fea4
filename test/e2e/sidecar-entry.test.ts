import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildContainerPrograms } from '../../build/container-programs.mjs'
import { sidecarContainer } from '../../daemon/runtime/docker/containers.ts'
import { ensureImage } from '../../daemon/runtime/docker/images.ts'
import { loadPrograms } from '../../daemon/runtime/programs.ts'
import { crewSpec, newId, quiet } from '../daemon/runtime/runtime-contract.ts'
import { engineMissing, removeInstallation } from '../support/engine.ts'
import { leaveOut } from '../support/leave-out.ts'
import { attempt, who } from './egress/street.ts'

leaveOut(engineMissing)

const docker = new Docker()
const naming = { prefix: 'muster-entry', installation: newId('entry') }
const Labels = { 'svc.installation': naming.installation }
let image: string
let networks: { four: Docker.Network; six: Docker.Network }

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-entry-'))
  const programs = loadPrograms(await buildContainerPrograms(folder), ['sidecar-entry', 'sidecar.cjs'])
  rmSync(folder, { recursive: true })
  image = await ensureImage(docker, naming, 'sidecar', 'muster/sidecar:local', programs, quiet)
  const six = {
    EnableIPv6: true,
    IPAM: { Config: [{ Subnet: `fd5d:${newId('').slice(0, 4)}:${newId('').slice(0, 4)}::/64` }] },
  }
  const made = (name: string, more: object) =>
    docker.createNetwork({ Name: `${naming.prefix}-${name}-${naming.installation}`, Labels, ...more })
  networks = { four: await made('four', {}), six: await made('six', six) }
})

afterAll(() => removeInstallation(naming.installation))

/**
 * Starts a sidecar as the runtime does, after `before` has changed its surroundings; waits until it is ready or gives
 * up.
 */
async function boot(network: 'four' | 'six', before = ':', host: Docker.HostConfig = {}) {
  const options = sidecarContainer(naming, crewSpec({ slug: newId('x') }), image, 'test')
  const container = await docker.createContainer({
    ...options,
    Entrypoint: ['sh', '-ec', `${before}\nexec /opt/muster/sidecar-entry`],
    HostConfig: {
      ...options.HostConfig,
      NetworkMode: networks[network].id,
      Tmpfs: { '/run': 'rw,exec', '/tmp': 'rw' },
      Ulimits: [],
      ...host,
    },
  })
  const stream = await container.attach({ stream: true, stdout: true, stderr: true })
  let said = ''
  const ready = new Promise<void>((resolve) => {
    stream.on('data', (chunk) => {
      said += chunk.subarray(8)
      if (said.includes('"ready"')) resolve()
    })
  })
  await container.start()
  const code = await Promise.race([ready.then(() => null), container.wait().then((it) => it.StatusCode as number)])
  return { container, code, said: () => said }
}

/** Commands of one kind only, under the names that the script asks for first. */
const only = (kind: string) =>
  `mkdir /run/bin; for it in iptables ip6tables; do ln -s $(command -v $it-${kind}) /run/bin/$it; ln -s ` +
  `$(command -v $it-${kind}-restore) /run/bin/$it-restore; done; PATH=/run/bin:$PATH`

/** A PATH with nothing on it but what is named. */
const bare = (...commands: string[]) =>
  `mkdir /run/bin; for it in sh cat id grep setpriv node sleep ${commands.join(' ')}; do ln -s $(command -v $it) ` +
  '/run/bin/$it; done; PATH=/run/bin'

const stub = (name: string, script: string) =>
  `mkdir -p /run/bin; printf '%s\\n' '#!/bin/sh' ${script
    .split('\n')
    .map((it) => `'${it}'`)
    .join(' ')} > /run/bin/${name}; chmod 755 /run/bin/${name}; PATH=/run/bin:$PATH`

/** Is there, and does not do it. */
const failing = 'case $1 in --version) exit 0 ;; esac\nexit 4'

/** What a stranger in the namespace can send, and what the sidecar can. */
async function openness({ container }: { container: Docker.Container }) {
  const { Networks } = (await container.inspect()).NetworkSettings
  const [it] = Object.values(Networks)
  const gateways = [it!.Gateway, it!.IPv6Gateway].filter(Boolean)
  const sends = async (user: string) =>
    Object.values(
      await attempt(
        container,
        user,
        gateways.map((to) => `udp ${to} 9`),
      ),
    )
  return { stranger: await sends(who.ada), root: await sends(who.root), sidecar: await sends(who.sidecar) }
}

const closed = (count: number) => ({
  stranger: Array(count).fill('EPERM'),
  root: Array(count).fill('EPERM'),
  sidecar: Array(count).fill(expect.stringMatching(/sent|ECONNREFUSED/)),
})

describe.skipIf(engineMissing)('sidecar-entry', () => {
  it.each([
    ['four', 'nft', 1],
    ['four', 'legacy', 1],
    ['six', 'nft', 2],
    ['six', 'legacy', 2],
  ] as const)('closes a network of kind %s with iptables-%s', async (network, kind, count) => {
    const sidecar = await boot(network, only(kind))
    expect(sidecar.code, sidecar.said()).toBeNull()
    expect(await openness(sidecar)).toEqual(closed(count))
  })

  it('finds the commands that this kernel answers', async () => {
    const sidecar = await boot('six', [stub('iptables', 'exit 1'), stub('ip6tables', 'exit 1')].join('\n'))
    expect(sidecar.code, sidecar.said()).toBeNull()
    expect(await openness(sidecar)).toEqual(closed(2))
  })

  it('needs no ip6tables where there is no IPv6', async () => {
    const sidecar = await boot('four', bare('iptables', 'iptables-restore'))
    expect(sidecar.code, sidecar.said()).toBeNull()
  })

  it('leaves no process with a capability behind, and ends when told to', async () => {
    const { container } = await boot('four')
    const { Processes } = await container.top({ ps_args: '-eo pid,uid,args' })
    expect(Processes.map(([, uid]: string[]) => uid)).toEqual(['1002', '1002'])
    await container.stop({ t: 60 })
    expect((await container.inspect()).State).toMatchObject({ ExitCode: 0, OOMKilled: false })
  })

  it.each<[what: string, network: 'four' | 'six', before: string, host: Docker.HostConfig, says: string]>([
    ['without the right to set rules', 'four', ':', { CapAdd: ['SETUID', 'SETGID'] }, 'iptables does not work here'],
    ['without iptables', 'four', bare(), {}, 'iptables does not work here'],
    [
      'without ip6tables where there is IPv6',
      'six',
      bare('iptables', 'iptables-restore'),
      {},
      'IPv6 is on in this network and ip6tables does not work here',
    ],
    [
      'when the rules are not taken',
      'four',
      stub('iptables-restore', failing),
      {},
      'iptables-restore did not take the rules',
    ],
    [
      'when the rules of IPv6 are not taken',
      'six',
      stub('ip6tables-restore', failing),
      {},
      'ip6tables-restore did not take the rules',
    ],
    [
      'when a rule is not there afterwards',
      'four',
      stub('iptables-restore', 'exit 0'),
      {},
      'iptables lost the rule: INPUT -i lo -j ACCEPT',
    ],
    [
      'when there are rules of somebody else',
      'four',
      stub('iptables-restore', '/usr/sbin/iptables-restore "$@" && iptables -A OUTPUT -p tcp -j ACCEPT'),
      {},
      'iptables holds rules that are not ours',
    ],
    [
      'when it does not drop by default',
      'four',
      stub('iptables-restore', '/usr/sbin/iptables-restore "$@" && iptables -P OUTPUT ACCEPT'),
      {},
      'iptables does not drop by default in OUTPUT',
    ],
    [
      'when everything looks well and packets leave all the same',
      'four',
      `${stub('iptables-restore', 'cat > /run/rules')}\n${stub(
        'iptables',
        'case $* in *-C*) exit 0 ;; esac\nfor it in INPUT FORWARD OUTPUT; do echo "-P $it DROP"; done\n' +
          'cat /run/rules 2>/dev/null | grep "^-A" || true',
      )}`,
      {},
      'the rules are there, yet packets of others can leave',
    ],
    ['when it cannot become the sidecar', 'four', ':', { CapAdd: ['NET_ADMIN', 'NET_RAW'] }, 'setpriv'],
  ])('refuses to start %s', async (_, network, before, host, says) => {
    const { code, said } = await boot(network, before, host)
    expect(said()).toContain(says)
    expect(code).toBeGreaterThan(0)
    expect(said()).not.toContain('"ready"')
  })
})
