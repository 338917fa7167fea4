import { describe, expect, it } from 'vitest'
import { createLog, logWarnings } from '#kernel/log'

function lines(format: 'json' | 'text', level = 'info') {
  const written: string[] = []
  return { log: createLog({ level, format }, { write: (line) => void written.push(line) }), written }
}

describe.each(['json', 'text'] as const)('a log in %s', (format) => {
  it('never holds a secret, wherever it stands', () => {
    const { log, written } = lines(format)
    log.info(
      {
        token: 'hush',
        headers: { authorization: 'hush', cookie: 'hush' },
        request: { body: { password: 'hush', api_key: 'hush', name: 'shown' } },
      },
      'Seen',
    )
    expect(written.join('')).toContain('shown')
    expect(written.join('')).not.toContain('hush')
  })

  it('is one line for each event, whatever is in it', () => {
    const { log, written } = lines(format)
    log.info({ name: 'two\nlines', err: new Error('a\nb') }, 'Seen\ntwice')
    expect(written).toHaveLength(1)
    expect(written[0]!.trimEnd()).not.toContain('\n')
  })

  it('holds nothing that acts on a terminal', () => {
    const { log, written } = lines('text')
    log.info({ 'key\u009b2J': 'a\u001b[2J\u009b2J\u202e\u2028b' }, 'Seen\u001b]0;x\u0007\rover')
    expect(written.join('').trimEnd()).toMatch(/^[\x20-\x7e]+$/)
    expect(written.join('')).toContain('Seen\\u{1b}]0;x\\u{7}\\u{d}over')
  })

  it('tells what Node.js warns of', async () => {
    const before = process.listeners('warning')
    const { log, written } = lines(format)
    try {
      logWarnings(log)
      process.emitWarning('Too many of them', 'OddWarning')
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      process.removeAllListeners('warning')
      for (const listener of before) process.on('warning', listener)
    }
    expect(written).toHaveLength(1)
    expect(written[0]).toMatch(/OddWarning: Too many of them/)
  })

  it('leaves out what is below its level', () => {
    const { log, written } = lines(format, 'warn')
    log.info('no')
    log.warn('yes')
    expect(written.join('')).toMatch(/yes/)
    expect(written).toHaveLength(1)
  })
})
