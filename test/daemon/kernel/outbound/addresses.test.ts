import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddressClass, canonicalAddress, classify, isLoopbackHost, parseAddress } from '#kernel/outbound/addresses'

const table: Record<AddressClass, string[]> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00::1',
    '3ffe::1',
    '::ffff:1.1.1.1',
    '64:ff9b::8.8.8.8',
  ],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '198.19.255.255',
    'fc00::1',
    'fdff::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::192.168.1.1',
  ],
  loopback: [
    '127.0.0.1',
    '127.0.0.11',
    '127.255.255.255',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::FFFF:7F00:1',
    '64:ff9b::7f00:1',
  ],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1', '::ffff:169.254.1.1'],
  metadata: [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
  ],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', '::ffff:224.0.0.1'],
  reserved: [
    '0.0.0.0',
    '0.255.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::7f00:1',
    '::127.0.0.1',
    '100::1',
    '64:ff9b:1::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '4000::1',
    'fec0::1',
    '5f00::1',
    'no address',
    '',
    '1.2.3',
    '0177.0.0.1',
    '::1%eth0',
  ],
}

describe('classify', () => {
  for (const [is, addresses] of Object.entries(table))
    it.each(addresses)(`%s is ${is}`, (address) => expect(classify(address)).toBe(is))

  it('calls nothing public that lies in a block which is not', () => {
    const closed = new BlockList()
    for (const [base, length] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.168.0.0', 16],
      ['198.18.0.0', 15],
      ['224.0.0.0', 3],
    ] as const)
      closed.addSubnet(base, length, 'ipv4')
    fc.assert(fc.property(fc.ipV4(), (address) => !closed.check(address, 'ipv4') || classify(address) !== 'public'))
  })

  it('judges an IPv4 address alike in every IPv6 dress that carries it', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '64:ff9b::', '0:0:0:0:0:FFFF:'), (address, dress) => {
        const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        expect(classify(`${dress}${address}`)).toBe(classify(address))
        expect(classify(`${dress}${hex}`)).toBe(classify(address))
      }),
    )
  })

  it('calls only 2000::/3 public in IPv6, embedded IPv4 aside', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (bits) => {
        const address = Array.from({ length: 8 }, (_, at) =>
          ((bits >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
        ).join(':')
        const embeds = bits >> 32n === 0xffffn || bits >> 32n === 0x64ff9bn << 64n
        return embeds || classify(address) !== 'public' || bits >> 125n === 1n
      }),
    )
  })
})

describe('isLoopbackHost', () => {
  it.each(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '::ffff:127.0.0.1'])('%s is this machine', (host) =>
    expect(isLoopbackHost(host)).toBe(true),
  )
  it.each(['', 'localhost.example', '10.0.0.1', '1.1.1.1', '[::2]', '0.0.0.0', '169.254.0.1'])('%s is not', (host) =>
    expect(isLoopbackHost(host)).toBe(false),
  )
})

describe('canonicalAddress', () => {
  it.each([
    ['192.168.0.1', '192.168.0.1'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['FE80::00Ab', 'fe80:0:0:0:0:0:0:ab'],
    ['::ffff:1.2.3.4', '0:0:0:0:0:ffff:102:304'],
    ['01.2.3.4', null],
    ['localhost', null],
  ])('of %s is %s', (text, one) => expect(canonicalAddress(text)).toBe(one))
})

describe('parseAddress', () => {
  it('tells the family, and all bits', () => {
    expect(parseAddress('1.2.3.4')).toEqual({ family: 4, bits: 0x01020304n })
    expect(parseAddress('1::2')).toEqual({ family: 6, bits: (1n << 112n) + 2n })
  })

  it.each([
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x7f.0.0.1',
    '1.2.3.4 ',
    ' ::1',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::1.2.3',
    '1.2.3.4::',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7:8::',
    '2130706433',
    '[::1]',
    '::1/128',
  ])('refuses %s', (text) => {
    expect(parseAddress(text)).toBeNull()
  })

  it('reads whatever spelling of an IPv6 address comes, and writes one', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const one = canonicalAddress(address)
        expect(one).not.toBeNull()
        expect(canonicalAddress(one!)).toBe(one)
        expect(canonicalAddress(address.toUpperCase())).toBe(one)
        expect(new URL(`http://[${one}]/`).host).toBe(new URL(`http://[${address}]/`).host)
      }),
    )
  })
})
